#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the mesh files of bad/ and odd/ and their expected.txt beside this script.

bad/expected.txt:  file, result, part of the message            (tab-separated)
odd/expected.txt:  file, vertices, triangles, open edges, volume
"""
import pathlib
import struct

import gltf

HERE = pathlib.Path(__file__).parent
BAD, ODD = [], []


def bad(name, data, message, result="PHX_ERROR_FORMAT"):
    BAD.append((name, data if isinstance(data, bytes) else data.encode("latin-1"), result, message))


def odd(name, data, vertices, triangles, open_edges, volume):
    ODD.append((name, data if isinstance(data, bytes) else data.encode("latin-1"), vertices, triangles, open_edges, volume))


POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
V = "".join(f"v {x} {y} {z}\n" for x, y, z in POINTS)
F = "".join(f"f {a+1} {b+1} {c+1}\n" for a, b, c in FACES)
TET = (4, 4, 0, 1 / 6)

# ------------------------------------------------------------------------------------------------------------------ OBJ
bad("empty.obj", "", "empty.obj:1: nothing is there")
bad("blank.obj", "\n\n  \n", "blank.obj:4: no faces")
bad("comments.obj", "# nothing\n# at all", "comments.obj:2: no faces")
bad("no_faces.obj", V, "no faces up to here")
bad("faces_alone.obj", "f 1 2 3\n", "faces_alone.obj:1: a face with the vertex 3, expected 1 to 0")
bad("index_high.obj", V + "f 1 2 3\nf 1 2 5\n", "index_high.obj:6: a face with the vertex 5, expected 1 to 4")
bad("index_zero.obj", V + "f 0 1 2\n", "index_zero.obj:5: '0' is not a corner")
bad("index_back.obj", V + "f -1 -2 -5\n", "index_back.obj:5: the vertex -5 of a face, but 4 are there")
bad("index_huge.obj", V + "f 1 2 99999999999999999999\n", "index_huge.obj:5: '99999999999999999999' is not a corner")
bad("index_large.obj", V + "f 1 2 4294967297\n", "index_large.obj:5: the vertex 4294967297")
bad("index_intmax.obj", V + "f 1 2 2147483647\n", "index_intmax.obj:5: the vertex 2147483647")
bad("index_fraction.obj", V + "f 1 2 3.5\n", "'3.5' is not a corner")
bad("corner_words.obj", V + "f a b c\n", "'a' is not a corner")
bad("corner_slash.obj", V + "f 1/ 2/ 3/x\n", "'3/x' is not a corner")
bad("corner_slashes.obj", V + "f 1/1/1/1 2 3\n", "'1/1/1/1' is not a corner")
bad("corner_open.obj", V + "f 1// 2// 3//\n", "'1//' is not a corner")
bad("corner_lonely.obj", V + "f / 2 3\n", "'/' is not a corner")
bad("two_corners.obj", V + "f 1 2\n", "two_corners.obj:5: a face of 2 corners, expected at least 3")
bad("no_corners.obj", V + "f\n", "a face of 0 corners")
bad("two_numbers.obj", "v 1 2\n" + F, "two_numbers.obj:1: a vertex of 2 numbers, expected 3")
bad("no_numbers.obj", "v\n", "a vertex of 0 numbers")
bad("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "nan.obj:2: 'nan' is not a finite number")
bad("inf.obj", "v 0 0 -inf\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "inf.obj:1: '-inf' is not a finite number")
bad("overflow.obj", "v 0 0 1e400\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "overflow.obj:1: '1e400' is not a finite number")
bad("huge.obj", "v 0 0 1e31\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "huge.obj:1: the coordinate 1e+31, expected a number within 1e+30")
bad("comma.obj", "v 0,5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "comma.obj:1: '0,5' is not a finite number")
bad("hex.obj", "v 0x10 0 0\n", "'0x10' is not a finite number")
bad("glued.obj", "v 1.0.0 0 0\n", "'1.0.0' is not a finite number")
bad("word.obj", V + "face 1 2 3\n", "word.obj:5: 'face' is not an OBJ statement, expected v, vt")
bad("zeros.obj", b"v 0 0 0\nv 1 0 0\x00\nv 0 1 0\nf 1 2 3\n", "zeros.obj:2: '0?' is not a finite number")
bad("all_zeros.obj", bytes(40), "all_zeros.obj:1: '????????????????????????????...' is not an OBJ statement")
bad("binary.obj", bytes(range(128, 256)), "binary.obj:1: '")
bad("after_joined_line.obj", "v 0 0 \\\n0\nv 1 0\nf 1 2 3\n", "after_joined_line.obj:3: a vertex of 2 numbers")
bad("joined_at_end.obj", V + "f 1 2 \\\n", "a face of 2 corners")
bad("html.obj", "<!DOCTYPE html>\n<html></html>\n", "html.obj:1: '<!DOCTYPE'")

odd("plain.obj", V + F, *TET)
odd("no_newline.obj", (V + F)[:-1], *TET)
odd("crlf.obj", (V + F).replace("\n", "\r\n"), *TET)
odd("cr.obj", (V + F).replace("\n", "\r"), *TET)
odd("spaces.obj", "\t v\t0  0 0 \n" + V[8:] + F.replace(" ", " \t "), *TET)
odd("slashes.obj", V + "vt 0 0\nvn 0 0 1\nf 1/1 3/1/1 2//1\nf 1 2/1 4\nf 1 4 3\nf -3/-1/-1 -2//-1 -1\n", *TET)
odd("comments.obj", "# a\n" + V.replace("\n", " # point\n") + "#\\\n" + F + "# end", *TET)
odd("joined.obj", V.replace(" 0 ", " \\\n0 \\\r\n") + F.replace(" ", "\\\n"), *TET)
odd("faces_first.obj", F + V, *TET)
odd("relative.obj", V + "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n", *TET)
odd("colours.obj", V.replace("\n", " 0.5 0.5 1\n") + F, *TET)
odd("weights.obj", V.replace("\n", " 1.0\n") + F, *TET)
odd("numbers.obj", "v +0 -0 .0\nv 1. 0e0 0\nv 0 1E+0 0\nv 0.000 0 0.1e1\n" + F, *TET)
odd("statements.obj", "mtllib a b.mtl\no tet\ng a b c\ns off\n" + V + "usemtl x#y\ns 1\nl 1 2\np 1\n" + F, *TET)
odd("no_area.obj", V + F + "f 1 1 2\nf 3 3 3\n", 4, 6, 0, 1 / 6)
odd("doubled.obj", V + F + "f 2 3 4\n", 4, 5, 3, 1 / 12)
odd("there_and_back.obj", V + F + "f 1 2 3\nf 3 2 1\n", 4, 6, 0, 1 / 6)
odd("one_triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", 3, 1, 3, 0)
odd("unused_vertices.obj", "v 9 9 9\n" + V + "f 2 4 3\nf 2 3 5\nf 2 5 4\nf 3 4 5\n", 5, 4, 0, 1 / 6)
odd("seams.obj", "".join(f"v {x} {y} {z}\n" for f in FACES for x, y, z in (POINTS[i] for i in f)) +
    "f 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n", 12, 4, 0, 1 / 6)
CUBE = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for y in (0, 1) for x in (0, 1))
QUADS = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
odd("quads.obj", CUBE + "".join("f %d %d %d %d\n" % q for q in QUADS), 8, 12, 0, 1)
# An L with one re-entrant corner, extruded: the fan from corner 2 crosses itself, the signed volume does not mind.
L = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
odd("concave.obj", "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in L) + "f 6 5 4 3 2 1\nf 8 9 10 11 12 7\n" +
    "".join("f %d %d %d %d\n" % (i + 1, (i + 1) % 6 + 1, (i + 1) % 6 + 7, i + 7) for i in range(6)), 12, 20, 0, 3)
odd("long_line.obj", V + "#" + "x" * 700 + "\n" + F, *TET)
odd("noname", V + F, *TET)
odd("tiny.obj", V.replace("1", "1e-320") + F, 4, 4, 0, 0)

# ------------------------------------------------------------------------------------------------------------------ PLY


def header(fmt="ascii", vertices=4, faces=4, vertex="property double x\nproperty double y\nproperty double z\n",
           face="property list uchar int vertex_indices\n", between=""):
    return (f"ply\nformat {fmt} 1.0\nelement vertex {vertices}\n{vertex}{between}element face {faces}\n{face}end_header\n")


PV = "".join("%g %g %g\n" % p for p in POINTS)
PF = "".join("3 %d %d %d\n" % f for f in FACES)


def rows(order, points=POINTS, faces=FACES):
    return b"".join(struct.pack(order + "3d", *p) for p in points) + \
        b"".join(struct.pack(order + "B3i", 3, *f) for f in faces)


LE, BE = "binary_little_endian", "binary_big_endian"
bad("magic.ply", "plx\nformat ascii 1.0\n", "magic.ply:1: 'plx', expected 'ply'")
bad("empty.ply", "", "empty.ply:1: nothing is there")
bad("magic_alone.ply", "ply\n", "the file ends in the header, expected end_header")
bad("no_end.ply", header()[:-11], "the file ends in the header")
bad("no_format.ply", header().replace("format ascii 1.0\n", "") + PV + PF, "no_format.ply:8: no format up to here")
bad("format.ply", header("binary") + PV + PF, "format.ply:2: the format 'binary', expected ascii")
bad("version.ply", header().replace("1.0", "2.0") + PV + PF, "version.ply:2: the PLY version '2.0', expected 1.0")
bad("no_version.ply", header().replace(" 1.0", "") + PV + PF, "no_version.ply:2: the line ends, expected the version 1.0")
bad("header_word.ply", header().replace("element face", "elements face"), "header_word.ply:7: 'elements' in the header")
bad("type.ply", header(vertex="property real x\n"), "type.ply:4: 'real' is not a PLY type")
bad("no_name.ply", header(vertex="property float\n"), "the line ends, expected the name of a property")
bad("early_property.ply", "ply\nformat ascii 1.0\nproperty float x\n", "early_property.ply:3: a property before any element")
bad("rows_negative.ply", header(vertices=-1), "rows_negative.ply:3: '-1' rows, expected a whole number")
bad("rows_word.ply", header(vertices="many"), "'many' rows")
bad("rows_huge.ply", header(vertices=2000000000) + PV + PF, "2000000000 rows of 'vertex' (line 3) with")
bad("rows_overflow.ply", header(vertices=9223372036854775807) + PV, "rows of 'vertex' (line 3) with")
bad("rows_beyond.ply", header(vertices=99999999999999999999) + PV, "'99999999999999999999' rows")
bad("rows_huge_binary.ply", header(LE, vertices=2000000000).encode() + rows("<"), "byte 181: 2000000000 rows of 'vertex'")
bad("faces_huge_binary.ply", header(LE, faces=4000000000).encode() + rows("<"), "4000000000 rows of 'face' (line 7)")
bad("two_vertex_elements.ply", header(between="element vertex 3\n"), "a second element 'vertex', expected one (the first is in line 3)")
bad("two_x.ply", header(vertex="property float x\nproperty float x\n"), "two_x.ply:5: a second property 'x'")
bad("no_z.ply", header(vertex="property float x\nproperty float y\n"), "vertices without z, expected properties x, y and z")
bad("no_corners.ply", header(face="property uchar red\n"), "faces without vertices, expected property list")
bad("corners_scalar.ply", header(face="property int vertex_indices\n"), "'vertex_indices' is no list of whole numbers")
bad("corners_float.ply", header(face="property list uchar float vertex_index\n"), "'vertex_index' is no list of whole numbers")
bad("count_float.ply", header(face="property list float int vertex_index\n"), "a list counted by 'float'")
bad("x_list.ply", header(vertex="property list uchar float x\nproperty float y\nproperty float z\n"), "x of a vertex is a list")
bad("no_vertex_element.ply", "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n3 0 1 2\n",
    "no element 'vertex'")
bad("no_face_element.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
    "no element 'face'")
bad("no_faces.ply", header(faces=0) + PV, "no faces up to here")
bad("short_row.ply", header() + "0 0\n" + PV[6:] + PF, "short_row.ply:10: the line ends, expected a value for every property")
bad("long_row.ply", header() + "0 0 0 0\n" + PV[6:] + PF, "long_row.ply:10: '0' behind the last property of a row")
bad("too_few_rows.ply", header() + PV + PF[:16], "too_few_rows.ply:16: the line ends")
bad("too_many_rows.ply", header() + PV + PF + "3 0 1 2\n", "too_many_rows.ply:18: '3' behind the last row")
bad("nan.ply", header() + "0 0 nan\n" + PV[6:] + PF, "nan.ply:10: the coordinate nan")
bad("value_word.ply", header() + "0 0 zero\n" + PV[6:] + PF, "value_word.ply:10: 'zero' is not a number, expected a finite one")
bad("index_fraction.ply", header() + PV + "3 0 1 1.5\n" + PF[8:], "'1.5' is not a number, expected a whole one")
bad("index_negative.ply", header() + PV + "3 0 1 -1\n" + PF[8:], "index_negative.ply:14: the vertex index -1, expected 0")
bad("index_high.ply", header() + PV + PF[:-8] + "3 0 1 4\n", "index_high.ply:17: a face with the vertex 4, expected 0 to 3")
bad("index_huge.ply", header() + PV + "3 0 1 9223372036854775807\n" + PF[8:], "'9223372036854775807' is not a number, expected a whole one")
bad("two_corners.ply", header() + PV + "2 0 1\n" + PF[8:], "two_corners.ply:14: a face of 2 corners")
bad("list_negative.ply", header() + PV + "-3 0 1 2\n" + PF[8:], "list_negative.ply:14: a list of -3 items")
bad("list_huge.ply", header() + PV + "4000000000 0 1 2\n" + PF[8:], "a list of 4000000000 items with")
bad("list_huge_binary.ply", header(LE, faces=1, face="property list uint int vertex_indices\n").encode() +
    rows("<", faces=[]) + struct.pack("<I3i", 0xFFFFFFFF, 0, 1, 2), "a list of 4294967295 items with 12 bytes left")
bad("list_negative_binary.ply", header(LE, faces=1, face="property list int int vertex_indices\n").encode() +
    rows("<", faces=[]) + struct.pack("<i3i", -1, 0, 1, 2), "a list of -1 items")
bad("cut_binary.ply", header(LE).encode() + rows("<")[:-1], "a list of 3 items with 11 bytes left")
bad("nan_binary.ply", header(BE).encode() + rows(">", [(0, 0, float("nan"))] + POINTS[1:]), "byte 185: the coordinate nan")
bad("inf_binary.ply", header(LE).encode() + rows("<", [(float("-inf"), 0, 0)] + POINTS[1:]), "byte 172: the coordinate -inf")
bad("index_binary.ply", header(BE).encode() + rows(">", faces=[(0, 1, 2)] * 3 + [(0, 1, 77)]), "a face with the vertex 77, expected 0 to 3")
bad("more_binary.ply", header(LE).encode() + rows("<") + b"\x03", "'?' behind the last row, expected the end of the file")
bad("wrong_order.ply", header(BE).encode() + rows("<"), "wrong_order.ply: byte ")
bad("zeros.ply", b"ply\nformat ascii 1.0\nelement vertex 4\x00\n", "zeros.ply:3: '4?' rows")

odd("ascii.ply", header() + PV + PF, *TET)
odd("crlf.ply", (header() + PV + PF).replace("\n", "\r\n"), *TET)
odd("cr.ply", (header() + PV + PF).replace("\n", "\r"), *TET)
odd("no_newline.ply", (header() + PV + PF)[:-1], *TET)
odd("little.ply", header(LE).encode() + rows("<"), *TET)
odd("big.ply", header(BE).encode() + rows(">"), *TET)
odd("crlf_binary.ply", header(LE).replace("\n", "\r\n").encode() + rows("<"), *TET)
# Lines end in CR alone and the first data byte is LF: 0x0A = 10 rows of something else.
odd("cr_binary.ply", header(LE, between="").replace("element vertex", "element tag 1\nproperty uchar t\nelement vertex")
    .replace("\n", "\r").encode() + b"\n" + rows("<"), *TET)
odd("wrong_name.obj", header(LE).encode() + rows("<"), *TET)
odd("short_types.ply", header(LE, vertex="property char x\nproperty uchar y\nproperty ushort z\n",
    face="property list short ushort vertex_index\n").encode() + b"".join(struct.pack("<bBH", *p) for p in POINTS) +
    b"".join(struct.pack("<h3H", 3, *f) for f in FACES), *TET)
odd("sized_types.ply", header(BE, vertex="property int16 x\nproperty float32 y\nproperty float64 z\n",
    face="property list uint32 uint8 vertex_index\n").encode() + b"".join(struct.pack(">hfd", *p) for p in POINTS) +
    b"".join(struct.pack(">I3B", 3, *f) for f in FACES), *TET)
odd("extra.ply", ("ply\nformat ascii 1.0\ncomment x y z\nobj_info\n\nelement camera 2\nproperty float f\nproperty list uchar int "
    "tags\nelement vertex 4\nproperty float nx\nproperty float z\nproperty uchar red\nproperty float y\nproperty float x\n"
    "element empty 5\nelement face 4\nproperty list uchar float texcoord\nproperty list uchar int vertex_indices\n"
    "property int flags\nelement edge 1\nproperty int a\nend_header\n0.5 2 7 8\nnan 0\n") +
    "".join("nan %g 255 %g %g\n" % (z, y, x) for x, y, z in POINTS) +
    "".join("%s 3 %d %d %d -1\n" % ("2 0 1" if i % 2 else "0", *f) for i, f in enumerate(FACES)) + "3\n", *TET)
odd("faces_first.ply", "ply\nformat ascii 1.0\nelement face 4\nproperty list uchar int vertex_indices\nelement vertex 4\n"
    "property float x\nproperty float y\nproperty float z\nend_header\n" + PF + PV, *TET)
odd("quads.ply", header(vertices=8, faces=6) + CUBE.replace("v ", "") +
    "".join("4 %d %d %d %d\n" % tuple(i - 1 for i in q) for q in QUADS), 8, 12, 0, 1)
odd("blank_lines.ply", header() + "\n" + PV.replace("\n", "\n\n") + "  \n" + PF, *TET)
odd("no_rows.ply", header(between="element none 2000000000\n") + PV + PF, *TET)

# ------------------------------------------------------------------------------------------------------------------ STL


def facet(f, points=POINTS, normal="0 0 0"):
    return f"facet normal {normal}\nouter loop\n" + "".join("vertex %g %g %g\n" % points[i] for i in f) + "endloop\nendfacet\n"


def record(f, points=POINTS):
    return struct.pack("<12fH", 0, 0, 0, *(c for i in f for c in points[i]), 0)


def stl(faces=FACES, points=POINTS, count=None, start=b""):
    return start.ljust(80, b"\0") + struct.pack("<I", len(faces) if count is None else count) + \
        b"".join(record(f, points) for f in faces)


S = "solid tet\n" + "".join(facet(f) for f in FACES) + "endsolid tet\n"
bad("empty.stl", "", "empty.stl:1: nothing is there")
bad("short.stl", "abc", "short.stl: byte 0: 3 bytes, expected 'solid' (text) or at least 84 bytes")
bad("solid_alone.stl", "solid", "the file ends, expected 'facet' or 'endsolid'")
bad("no_facets.stl", "solid a\nendsolid a\n", "no faces up to here")
bad("no_endsolid.stl", S[:-13], "the file ends, expected 'facet' or 'endsolid'")
bad("two_vertices.stl", S.replace("vertex 0 0 0\n", "", 1), "two_vertices.stl:6: 'endloop', expected 'vertex'")
bad("four_vertices.stl", S.replace("endloop", "vertex 1 1 1\nendloop", 1), "four_vertices.stl:7: 'vertex', expected 'endloop'")
bad("no_loop.stl", S.replace("outer loop\n", "", 1), "no_loop.stl:3: 'vertex', expected 'outer'")
bad("no_normal.stl", S.replace("normal", "", 1), "no_normal.stl:2: '0', expected 'normal'")
bad("short_normal.stl", S.replace("normal 0 0 0", "normal 0 0", 1), "short_normal.stl:3: 'outer' is not a number, expected a normal")
bad("nan.stl", S.replace("vertex 1", "vertex nan", 1), "nan.stl:6: 'nan' is not a finite number")
bad("overflow.stl", S.replace("vertex 1", "vertex 1e999", 1), "overflow.stl:6: '1e999' is not a finite number")
bad("short_vertex.stl", S.replace("vertex 0 0 0", "vertex 0 0", 1), "short_vertex.stl:5: 'vertex' is not a finite number")
bad("word.stl", S.replace("endfacet", "end", 1), "word.stl:8: 'end', expected 'endfacet'")
bad("after_end.stl", S + "facet", "after_end.stl:31: 'facet', expected 'solid' or the end")
bad("cut.stl", S[:60], "the file ends, expected")
bad("zeros.stl", S.replace("outer", "ou\0ter", 1), "zeros.stl: byte 80: ")
bad("zeros_later.stl", S.replace("endsolid", "end\0solid"), "zeros_later.stl:30: 'end?solid', expected 'facet' or 'endsolid'")
bad("header_alone.stl", bytes(80), "header_alone.stl: byte 0: 80 bytes, expected")
bad("none_binary.stl", stl([]), "no faces up to here")
bad("count_huge.stl", stl(FACES[:1], count=0xFFFFFFFF), "count_huge.stl: byte 80: 4294967295 triangles in 134 bytes, expected 214748364834 bytes")
bad("count_low.stl", stl(FACES[:2], count=1), "count_low.stl: byte 80: 1 triangles in 184 bytes, expected 134 bytes")
bad("cut_binary.stl", stl()[:-1], "cut_binary.stl: byte 80: 4 triangles in 283 bytes, expected 284 bytes")
bad("cut_solid_binary.stl", stl(start=b"solid x")[:-1], "byte 80: 4 triangles in 283 bytes")
bad("nan_binary.stl", stl(points=[(0, 0, 0), (1, float("nan"), 0), (0, 1, 0), (0, 0, 1)]), "nan_binary.stl: byte 124: the coordinate nan")
bad("inf_binary.stl", stl(points=[(float("inf"), 0, 0)] + POINTS[1:]), "inf_binary.stl: byte 96: the coordinate inf")
bad("huge_binary.stl", stl(points=[(3e38, 0, 0)] + POINTS[1:]), "byte 96: the coordinate 3e+38, expected a number within 1e+30")
bad("garbage", b"\x7fELF" + bytes(range(60)), "garbage:1: '?ELF")

odd("ascii.stl", S, *TET)
odd("crlf.stl", S.replace("\n", "\r\n"), *TET)
odd("upper.stl", S.upper(), *TET)
odd("no_name.stl", S.replace(" tet", ""), *TET)
odd("nan_normals.stl", S.replace("normal 0 0 0", "normal nan -nan inf"), *TET)
odd("two_solids.stl", S + "\n" + "solid second\n" + "".join(facet(f, [(x + 5, y, z) for x, y, z in POINTS]) for f in FACES) +
    "endsolid", 8, 8, 0, 1 / 3)
odd("one_line.stl", S[:10] + S[10:].replace("\n", " "), *TET)
odd("binary.stl", stl(), *TET)
odd("solid_binary.stl", stl(start=b"solid but binary"), *TET)
odd("binary_noname", stl(), *TET)
odd("minus_zero.stl", stl().replace(record(FACES[0]), record(FACES[0], [(-0.0, 0, -0.0)] + POINTS[1:])), *TET)
odd("one_triangle.stl", stl([(0, 1, 2)]), 3, 1, 3, 0)
odd("no_area.stl", stl(FACES + [(1, 1, 2)]), 4, 5, 0, 1 / 6)

gltf.add_odd(odd)
gltf.add_bad(bad)

for folder, table in (("bad", BAD), ("odd", ODD)):
    names = [row[0] for row in table]
    assert len(set(names)) == len(names), "two files of one name"
    (HERE / folder).mkdir(exist_ok=True)
    for old in (HERE / folder).iterdir():
        old.unlink()
    for name, data, *_ in table:
        assert len(data) < 2048, (name, len(data))
        (HERE / folder / name).write_bytes(data)
    lines = ["\t".join([row[0]] + [repr(v) if isinstance(v, float) else str(v) for v in row[2:]]) for row in table]
    (HERE / folder / "expected.txt").write_text("\n".join(lines) + "\n")
