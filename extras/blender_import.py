# SPDX-License-Identifier: MIT
"""Brings a whole run of phyxel into Blender.

Bodies, animated: one object and one Principled material each, with velocities (attribute `velocity`) for motion blur.
Looks are those of the run that the file lies in or that --run names; without it they are the file's preview surfaces.

    phyxel surface out/bounce --usd out/bounce/bounce.usda
    blender --python extras/blender_import.py -- out/bounce/bounce.usda --save bounce.blend

Particles or merged surfaces: one object a frame, shown at its time, with every field as an attribute.

    blender --background --python extras/blender_import.py -- out/bounce            # particles (.vtp or .ply)
    blender --background --python extras/blender_import.py -- out/bounce/surface    # meshes (.ply)
    blender --python extras/blender_import.py -- out/bounce --save bounce.blend
    python3 extras/blender_import.py --list out/bounce                              # what is there, without Blender

Fields of one number become float attributes, of three numbers vector attributes, of nine numbers nine float attributes
(name_0 ... name_8). Use them in Geometry Nodes (Mesh to Points, radius from `spacing`) or in a shader's Attribute node.
Needs nothing but Blender's own Python.
"""
import argparse
import array
import math
import os
import re
import struct
import sys


class Frame:
    """Positions and fields of the points, and triangles, in flat arrays."""

    def __init__(self, time, positions, triangles, fields):
        self.time, self.positions, self.triangles, self.fields = time, positions, triangles, fields

    @property
    def points(self):
        return len(self.positions) // 3


def fail(path, text):
    raise ValueError(f"{path}: {text}")


def read_vtp(path):
    """A .vtp file as phyxel writes it: raw little-endian data behind the XML."""
    with open(path, "rb") as file:
        data = file.read()
    begin = data.find(b'<AppendedData encoding="raw">\n_')
    if begin < 0:
        fail(path, "no raw appended data: not written by phyxel")
    head = data[:begin].decode("ascii", "replace")
    start = data.index(b"_", begin) + 1
    time = re.search(r'Name="TimeValue"[^>]*>([^<]*)<', head)
    piece = re.search(r'<Piece NumberOfPoints="(\d+)".*?NumberOfPolys="(\d+)"', head)
    if not piece:
        fail(path, "no piece: not written by phyxel")
    codes = {"Float32": "f", "Float64": "d", "Int32": "i", "UInt64": "Q"}
    arrays = {}
    for kind, name, components, offset in re.findall(
        r'<DataArray type="(\w+)" Name="([^"]+)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"/>', head
    ):
        at = start + int(offset)
        (size,) = struct.unpack_from("<Q", data, at)
        if at + 8 + size > len(data):
            fail(path, f"cut in the middle of '{name}'")
        values = array.array(codes[kind])
        values.frombytes(data[at + 8 : at + 8 + size])
        arrays[name] = (int(components), values)
    positions = array.array("f", arrays.pop("Points")[1])
    corners = arrays.pop("connectivity")[1]
    arrays.pop("offsets")
    fields = {name: (n, array.array("f", map(float, values))) for name, (n, values) in arrays.items()}
    triangles = array.array("i", corners) if int(piece.group(2)) else array.array("i")
    return Frame(float(time.group(1)) if time else 0.0, positions, triangles, fields)


def group_columns(names):
    """[(field, [columns])]: a_x a_y a_z and a_0 ... a_8 belong together, nx ny nz are the normals."""
    fields, i = [], 3
    while i < len(names):
        name = names[i]
        for stem, row in (
            ("normal", ["nx", "ny", "nz"]),
            (name[:-2], [name[:-2] + "_" + c for c in "xyz"]),
            (name[:-2], [name[:-2] + "_" + c for c in "012345678"]),
        ):
            if names[i : i + len(row)] == row:
                fields.append((stem, list(range(i, i + len(row)))))
                break
        else:
            fields.append((name, [i]))
        i += len(fields[-1][1])
    return fields


def read_ply(path):
    """A .ply file as phyxel writes it: binary little endian, columns of float and int, then triangles."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.find(b"end_header\n")
    if not data.startswith(b"ply\nformat binary_little_endian 1.0\ncomment phyxel") or end < 0:
        fail(path, "not written by phyxel")
    lines = data[:end].decode("ascii", "replace").split("\n")
    time, counts, names, kinds = 0.0, [], [], []
    for words in (line.split() for line in lines):
        if words[:2] == ["comment", "time"]:
            time = float(words[2])
        elif words[:1] == ["element"]:
            counts.append(int(words[2]))
        elif words[:1] == ["property"] and len(counts) == 1:
            kinds.append("i" if words[1] == "int" else "f")
            names.append(words[2])
    row = struct.Struct("<" + "".join(kinds))
    at = end + len("end_header\n")
    faces = counts[1] if len(counts) > 1 else 0
    if len(data) != at + counts[0] * row.size + faces * 13:
        fail(path, "cut, or longer than its header says")
    columns = list(zip(*row.iter_unpack(data[at : at + counts[0] * row.size]))) or [() for _ in names]
    positions = array.array("f", (value for point in zip(*columns[:3]) for value in point))
    fields = {
        name: (len(which), array.array("f", (float(v) for point in zip(*(columns[i] for i in which)) for v in point)))
        for name, which in group_columns(names)
    }
    triangles = array.array("i")
    for _, a, b, c in struct.iter_unpack("<Biii", data[at + counts[0] * row.size :]):
        triangles.extend((a, b, c))
    return Frame(time, positions, triangles, fields)


def find_frames(run):
    """[(time or None, path)] of a run's folder, a folder of frame_* files, a .pvd list or one file."""
    if os.path.isfile(run) and not run.endswith(".pvd"):
        return [(None, run)]
    pvd = run if run.endswith(".pvd") else os.path.join(run, "frames.pvd")
    if os.path.isfile(pvd):
        with open(pvd, encoding="ascii") as file:
            text = file.read()
        folder = os.path.dirname(pvd)
        return [(float(t), os.path.join(folder, f))
                for t, f in re.findall(r'<DataSet timestep="([^"]+)"[^>]*file="([^"]+)"/>', text)]
    for folder in (os.path.join(run, "frames"), run):
        for ending in (".ply", ".vtp"):
            names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
            names = [n for n in names if n.startswith("frame_") and n.endswith(ending)]
            if names:
                return [(None, os.path.join(folder, n)) for n in names]
    raise ValueError(f"{run}: neither frames.pvd nor frame_*.ply or .vtp")


def read_frame(path):
    return read_ply(path) if path.endswith(".ply") else read_vtp(path)


def add_attribute(mesh, name, components, values, points):
    if components == 1:
        mesh.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", values)
    elif components == 3:
        mesh.attributes.new(name, "FLOAT_VECTOR", "POINT").data.foreach_set("vector", values)
    else:
        for k in range(components):
            part = array.array("f", (values[i * components + k] for i in range(points)))
            mesh.attributes.new(f"{name}_{k}", "FLOAT", "POINT").data.foreach_set("value", part)


def make_object(bpy, name, frame, collection):
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(frame.points)
    mesh.vertices.foreach_set("co", frame.positions)
    faces = len(frame.triangles) // 3
    if faces:
        mesh.loops.add(3 * faces)
        mesh.loops.foreach_set("vertex_index", frame.triangles)
        mesh.polygons.add(faces)
        mesh.polygons.foreach_set("loop_start", array.array("i", range(0, 3 * faces, 3)))
        mesh.polygons.foreach_set("loop_total", array.array("i", [3] * faces))
        mesh.polygons.foreach_set("use_smooth", array.array("b", [1] * faces))
    mesh.update(calc_edges=True)
    mesh.validate()
    for field, (components, values) in frame.fields.items():
        if field != "normal":  # Blender has its own normals, and uses the name "id" for itself
            add_attribute(mesh, "number" if field == "id" else field, components, values, frame.points)
    thing = bpy.data.objects.new(name, mesh)
    collection.objects.link(thing)
    return thing


def show_only_at(thing, number, last):
    """Keys that hide the object but for one frame of the scene."""
    for hidden, at in ((True, number - 1), (False, number), (True, number + 1)):
        if at > last and hidden:
            continue
        thing.hide_viewport = thing.hide_render = hidden
        thing.keyframe_insert("hide_viewport", frame=at)
        thing.keyframe_insert("hide_render", frame=at)


def import_run(run, every=1):
    """Into a collection of the current scene; returns it. Damaged frames are told and left out."""
    import bpy

    frames = find_frames(run)[::every]
    scene = bpy.context.scene
    name = os.path.basename(os.path.normpath(run)) or "phyxel"
    collection = bpy.data.collections.new(name)
    scene.collection.children.link(collection)
    for number, (time, path) in enumerate(frames):
        try:
            frame = read_frame(path)
        except (OSError, ValueError, KeyError, IndexError, struct.error) as problem:
            print(f"left out: {problem}", file=sys.stderr)
            continue
        thing = make_object(bpy, f"{name}.{number:05d}", frame, collection)
        thing["time"] = frame.time if time is None else time
        show_only_at(thing, number, len(frames) - 1)
    scene.frame_start, scene.frame_end = 0, max(len(frames) - 1, 0)
    scene.frame_set(0)
    return collection


# -------------------------------------------------------------------------------------------------------- bodies by USD


def read_looks(folder):
    """{name: look} of a run's bodies.csv, lengths in radii of the body; empty if there is no such file."""
    path, looks = os.path.join(folder, "bodies.csv"), {}
    if not os.path.isfile(path):
        return looks
    with open(path, encoding="utf-8") as file:
        names = file.readline().rstrip("\n").split(",")
        for line in file:
            row = dict(zip(names, line.rstrip("\n").split(",", len(names) - 1)))
            values = dict(pair.split("=", 1) for pair in row.get("look", "").split(";") if "=" in pair)
            if values:
                looks[row["name"]] = {key: [float(v) for v in value.split()] for key, value in values.items()}
    return looks


def look_in_meters(look, radius):
    """As blender_render.py takes it; `radius`: half the diagonal of the body's box at first, m."""
    one = {key: values[0] for key, values in look.items()}
    absorption = [0.0, 0.0, 0.0]
    if one["depth"] > 0:
        absorption = [-math.log(max(t, 1e-4)) / (one["depth"] * radius) for t in look["tint"]]
    return {"color": look["color"], "roughness": one["roughness"], "metal": one["metal"],
            "transmission": one["transmission"], "ior": one["ior"], "absorption": absorption,
            "scatter": one["scatter"] / radius, "subsurface": one["subsurface"] * radius}


def radius_of(thing):
    from mathutils import Vector

    corners = [thing.matrix_world @ Vector(corner) for corner in thing.bound_box]
    size = [max(c[k] for c in corners) - min(c[k] for c in corners) for k in range(3)]
    return max(0.5 * math.sqrt(sum(s * s for s in size)), 1e-9)


def import_bodies(path, run=None):
    """The bodies of a .usda file of `phyxel surface --usd`; returns their objects."""
    import bpy

    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import blender_render

    before = set(bpy.data.objects)
    bpy.ops.wm.usd_import(filepath=os.path.abspath(path), set_frame_range=True)
    scene = bpy.context.scene
    scene.frame_set(scene.frame_start)
    things = [thing for thing in bpy.data.objects if thing not in before and thing.type in ("MESH", "POINTCLOUD")]
    looks = read_looks(run or os.path.dirname(os.path.abspath(path)))
    looks = {re.sub(r"^[0-9]|[^A-Za-z0-9_]", "_", name): look for name, look in looks.items()}
    for thing in things:
        if thing.name not in looks:
            continue
        fields = {a.name for a in thing.data.attributes}
        look = look_in_meters(looks[thing.name], radius_of(thing))
        material = blender_render.make_material(bpy, thing.name, look, fields)
        thing.data.materials.clear()
        thing.data.materials.append(material)
    for material in [m for m in bpy.data.materials if not m.users]:  # preview surfaces that are no longer used
        bpy.data.materials.remove(material)
    for thing in things:
        for material in thing.data.materials:
            material.name = thing.name
    return things


def main(arguments):
    parser = argparse.ArgumentParser(prog="blender_import.py", description=__doc__.split("\n")[0])
    parser.add_argument("run", help="a .usda file; a run's folder, a folder of frames, a .pvd list or one frame")
    parser.add_argument("--run", dest="looks", help="the run of a .usda file, whose looks its bodies have")
    parser.add_argument("--every", type=int, default=1, help="only every N-th frame")
    parser.add_argument("--save", help="write a .blend file")
    parser.add_argument("--list", action="store_true", help="only say what is there; needs no Blender")
    options = parser.parse_args(arguments)
    if options.list:
        for time, path in find_frames(options.run)[:: options.every]:
            frame = read_frame(path)
            fields = " ".join(f"{name}[{n}]" for name, (n, _) in sorted(frame.fields.items()))
            print(f"{path}: t = {frame.time if time is None else time:g} s, {frame.points} points, "
                  f"{len(frame.triangles) // 3} triangles, {fields}")
        return 0
    if options.run.endswith(".usda"):
        made = import_bodies(options.run, options.looks)
        for thing in made:
            materials = " ".join(m.name for m in thing.data.materials)
            print(f"{thing.name}: {thing.type.lower()}, material {materials}, "
                  f"attributes {' '.join(sorted(a.name for a in thing.data.attributes if a.name[0] != '.'))}")
    else:
        made = import_run(options.run, options.every).objects
        print(f"{len(made)} frames of {options.run}")
    if options.save:
        import bpy

        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(options.save))
    return 0 if made else 1


if __name__ == "__main__":
    # Blender hands on what stands behind "--".
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    sys.exit(main(words))
