# SPDX-License-Identifier: MIT
"""The glTF files of make.py: a cube of numbers of several kinds, and what may be wrong with it."""
import base64
import copy
import json
import struct

CORNERS = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
FACES = [0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]
TETRAHEDRON = b"".join(struct.pack("<3f", *p) for p in ((0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1)))
FLOAT, UBYTE, SHORT, USHORT = 5126, 5121, 5122, 5123
TURN = 0.5**0.5


def accessor(view, kind, number, count, **more):
    return {"bufferView": view, "type": kind, "componentType": number, "count": count, **more}


def document(numbers, views, accessors, primitives, **more):
    uri = "data:application/octet-stream;base64," + base64.b64encode(numbers).decode()
    return {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(numbers), "uri": uri}],
        "bufferViews": [{"buffer": 0, "byteOffset": o, "byteLength": n, **dict(*x)} for o, n, *x in views],
        "accessors": accessors,
        "meshes": [{"name": "m", "primitives": primitives}],
        **more,
    }


def text(whole):
    return (json.dumps(whole, separators=(",", ":")) + "\n").encode()


def container(whole, numbers):
    whole = dict(whole, buffers=[{"byteLength": len(numbers)}])
    words = text(whole)
    words += b" " * (-len(words) % 4)
    numbers += b"\0" * (-len(numbers) % 4)
    chunks = struct.pack("<II", len(words), 0x4E4F534A) + words + struct.pack("<II", len(numbers), 0x004E4942) + numbers
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def scene(*nodes, roots=None):
    return {"scene": 0, "scenes": [{"nodes": roots or list(range(len(nodes)))}], "nodes": list(nodes)}


INDICES = struct.pack("<36H", *FACES)
POSITIONS = b"".join(struct.pack("<3f", *p) for p in CORNERS)
TEXTURE = b"".join(struct.pack("<2f", p[0], p[1]) for p in CORNERS)
CUBE = document(
    POSITIONS + INDICES + TEXTURE, [(0, 96), (96, 72), (168, 64)],
    [accessor(0, "VEC3", FLOAT, 8), accessor(1, "SCALAR", USHORT, 36), accessor(2, "VEC2", FLOAT, 8)],
    [{"attributes": {"POSITION": 0, "TEXCOORD_0": 2}, "indices": 1, "material": 0}],
    materials=[{"name": "ivory"}],
    **scene({"name": "root", "children": [1], "translation": [5, 0, 0]},
            {"name": "die", "mesh": 0, "rotation": [TURN, 0, 0, TURN], "scale": [2, 1, 1]}, roots=[0]))


def changed(change):
    whole = copy.deepcopy(CUBE)
    change(whole)
    return text(whole)


def add_odd(odd):
    odd("cube.gltf", text(CUBE), 8, 12, 0, 2)
    soup = b"".join(struct.pack("<3f", *CORNERS[i]) for i in FACES)
    shifted = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1]
    odd("mirrored.glb", container(document(soup, [(0, len(soup))], [accessor(0, "VEC3", FLOAT, 36)],
                                           [{"attributes": {"POSITION": 0}}],
                                           **scene({"mesh": 0, "scale": [-1, 1, 1]}, {"mesh": 0, "matrix": shifted})),
                                  soup), 72, 24, 0, 2)
    places = {"attributes": {"POSITION": 0}}
    odd("fan.gltf", text(document(TETRAHEDRON + bytes([0, 1, 2, 3, 1, 1, 3, 2]), [(0, 48), (48, 5), (53, 3)],
                                  [accessor(0, "VEC3", FLOAT, 4), accessor(1, "SCALAR", UBYTE, 5),
                                   accessor(2, "SCALAR", UBYTE, 3)],
                                  [dict(places, indices=1, mode=6), dict(places, indices=2), dict(places, mode=0)])),
        8, 4, 0, 1 / 6)
    odd("strip.gltf", text(document(TETRAHEDRON + bytes([0, 1, 2, 3, 0, 1]), [(0, 48), (48, 6)],
                                    [accessor(0, "VEC3", FLOAT, 4), accessor(1, "SCALAR", UBYTE, 6)],
                                    [dict(places, indices=1, mode=5)])), 4, 4, 0, 1 / 6)
    shorts = b"".join(struct.pack("<4h", *(32767 * c for c in p), 0) for p in CORNERS) + INDICES
    odd("quantized.glb", container(document(shorts, [(0, 64, {"byteStride": 8}), (64, 72)],
                                            [accessor(0, "VEC3", SHORT, 8, normalized=True),
                                             accessor(1, "SCALAR", USHORT, 36)], [dict(places, indices=1)],
                                            extensionsRequired=["KHR_mesh_quantization"],
                                            **scene({"mesh": 0, "scale": [2, 2, 2]})), shorts), 8, 12, 0, 8)


def add_bad(bad):
    primitive = lambda w: w["meshes"][0]["primitives"][0]
    bad("no_json.gltf", '{"asset": {"version": "2.0"},\n "meshes": [}\n', "no_json.gltf:2: '}', expected a value")
    bad("open_text.gltf", '{"asset', "open_text.gltf:1: the text ends, expected the quote")
    bad("old.gltf", changed(lambda w: w["asset"].update(version="1.0")), "expected a glTF file of that version")
    bad("other_file.gltf", changed(lambda w: w["buffers"][0].update(uri="other.bin")), "buffer 0 is in another file")
    bad("base64.gltf", changed(lambda w: w["buffers"][0].update(uri="data:;base64,AA!A")), "buffer 0 is no base64")
    bad("index.gltf", changed(lambda w: w["accessors"][0].update(count=4)), "a triangle with the vertex 4, expected 0 to 3")
    bad("too_long.gltf", changed(lambda w: w["accessors"][0].update(count=40)), "accessor 0 (POSITION) needs bytes")
    bad("no_accessor.gltf", changed(lambda w: primitive(w).update(indices=9)), "accessor 9 (indices) is not there")
    bad("sparse.gltf", changed(lambda w: w["accessors"][0].update(sparse={})), "is sparse")
    bad("ring.gltf", changed(lambda w: w["nodes"][1].update(children=[0])), "node 0 comes twice")
    bad("packed.gltf", changed(lambda w: w.update(extensionsRequired=["KHR_draco_mesh_compression"])),
        "the file needs the extension 'KHR_draco_mesh_compression'")
    bad("lines.gltf", changed(lambda w: primitive(w).update(mode=1)), "no faces")
    bad("float_indices.gltf", changed(lambda w: (w["accessors"].append(accessor(2, "SCALAR", FLOAT, 16)),
                                                 primitive(w).update(indices=3))), "indices of type 5126")
    bad("no_turn.gltf", changed(lambda w: w["nodes"][1].update(rotation=[0, 0, 0, 0])),
        "node 1 has a matrix, translation, rotation or scale that is none")
    whole = container(CUBE, POSITIONS + INDICES + TEXTURE)
    bad("cut.glb", whole[:-20], "the file is cut")
    bad("old.glb", b"glTF" + struct.pack("<II", 1, 20) + bytes(8), "a binary glTF of version 1")
