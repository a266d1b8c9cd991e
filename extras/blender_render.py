# SPDX-License-Identifier: MIT
"""Draws a picture of phyxel with Cycles: what phx_stage_write wrote, a description (.json) with one .ply file a body.

    phyxel render RUN --frame 40 --engine cycles                       # does all of this
    blender --background --python extras/blender_render.py -- RUN/pictures/cycles/scene.json --image a.png --samples 256
    python3 extras/blender_render.py scene.json --save scene.blend     # with the module bpy; a file to go on with

Every body becomes an object with a Principled material of its look; stage, lamps, floor and camera are those of
phyxel's own pictures. Needs nothing but Blender's own Python (tried with 4.5).
"""
import argparse
import json
import math
import os
import sys

import numpy


# ------------------------------------------------------------------------------------------------------------- geometry

def read_ply(path):
    """(positions, triangles, {field: array}) of a .ply file as phyxel writes it."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.find(b"end_header\n")
    if not data.startswith(b"ply\nformat binary_little_endian 1.0\ncomment phyxel") or end < 0:
        raise ValueError(f"{path}: not written by phyxel")
    counts, columns = [], []
    for words in (line.split() for line in data[:end].decode("ascii", "replace").split("\n")):
        if words[:1] == ["element"]:
            counts.append(int(words[2]))
        elif words[:1] == ["property"] and len(counts) == 1:
            columns.append((words[2], "<i4" if words[1] == "int" else "<f4"))
    at = end + len("end_header\n")
    points = numpy.frombuffer(data, numpy.dtype(columns), counts[0], at)
    at += points.nbytes
    face = numpy.dtype([("corners", "u1"), ("of", "<i4", 3)])
    triangles = numpy.frombuffer(data, face, counts[1] if len(counts) > 1 else 0, at)["of"]
    fields = {}
    for name, _ in columns:
        fields[name] = points[name].astype("f4")
    for name in [n[:-2] for n in fields if n.endswith("_x")]:
        fields[name] = numpy.stack([fields.pop(f"{name}_{axis}") for axis in "xyz"], 1)
    if "color" in fields:  # a name that Cycles has another use for
        fields["displayColor"] = fields.pop("color")
    positions = numpy.stack([fields.pop(axis) for axis in "xyz"], 1)
    return positions, triangles, fields


def make_mesh(bpy, name, positions, triangles, fields):
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(positions))
    mesh.vertices.foreach_set("co", positions.ravel())
    count = len(triangles)
    if count:
        mesh.loops.add(3 * count)
        mesh.loops.foreach_set("vertex_index", triangles.ravel())
        mesh.polygons.add(count)
        mesh.polygons.foreach_set("loop_start", numpy.arange(0, 3 * count, 3, dtype="i4"))
        mesh.polygons.foreach_set("loop_total", numpy.full(count, 3, dtype="i4"))
        mesh.polygons.foreach_set("use_smooth", numpy.ones(count, dtype=bool))
    mesh.update(calc_edges=bool(count))
    for field, values in fields.items():
        if field in ("nx", "ny", "nz", "id") or values.ndim > 2:
            continue
        if values.ndim == 2:
            mesh.attributes.new(field, "FLOAT_VECTOR", "POINT").data.foreach_set("vector", values.ravel())
        else:
            mesh.attributes.new(field, "FLOAT", "POINT").data.foreach_set("value", values)
    return mesh


def draw_as_balls(bpy, thing, material):
    """Points are spheres by Geometry Nodes, with their own radii."""
    group = bpy.data.node_groups.new(thing.name + " balls", "GeometryNodeTree")
    if hasattr(group, "interface"):
        group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:  # before 4.0
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
    nodes, links = group.nodes, group.links
    start, end = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    radius = nodes.new("GeometryNodeInputNamedAttribute")
    radius.inputs["Name"].default_value = "radius"
    points, paint = nodes.new("GeometryNodeMeshToPoints"), nodes.new("GeometryNodeSetMaterial")
    paint.inputs["Material"].default_value = material
    links.new(start.outputs[0], points.inputs["Mesh"])
    links.new(radius.outputs["Attribute"], points.inputs["Radius"])
    links.new(points.outputs[0], paint.inputs["Geometry"])
    links.new(paint.outputs[0], end.inputs[0])
    thing.modifiers.new("balls", "NODES").node_group = group


# ---------------------------------------------------------------------------------------------------------------- looks

def put(node, names, value):
    """Sets the first of these inputs that this version of Blender has."""
    for name in names:
        if name in node.inputs:
            node.inputs[name].default_value = value
            return node.inputs[name]
    return None


def make_volume(tree, look):
    """What a clear body absorbs and scatters; None: nothing."""
    most, parts = max(look["absorption"]), []
    if most > 0:
        node = tree.nodes.new("ShaderNodeVolumeAbsorption")
        node.inputs["Color"].default_value = [1 - a / most for a in look["absorption"]] + [1]
        node.inputs["Density"].default_value = most
        parts.append(node)
    if look["scatter"] > 0:
        node = tree.nodes.new("ShaderNodeVolumeScatter")
        node.inputs["Density"].default_value = look["scatter"]
        parts.append(node)
    if len(parts) == 2:
        both = tree.nodes.new("ShaderNodeAddShader")
        tree.links.new(parts[0].outputs[0], both.inputs[0])
        tree.links.new(parts[1].outputs[0], both.inputs[1])
        parts = [both]
    return parts[0] if parts else None


def make_material(bpy, name, look, fields=()):
    """A Principled material. `fields`: attributes displayColor, glow, roughness that the points have."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    body, out = tree.nodes.new("ShaderNodeBsdfPrincipled"), tree.nodes.new("ShaderNodeOutputMaterial")
    clear = look["transmission"] > 0.5
    color = put(body, ["Base Color"], [1, 1, 1, 1] if clear else [*look["color"], 1])
    rough = put(body, ["Roughness"], look["roughness"])
    put(body, ["Metallic"], look["metal"])
    put(body, ["IOR"], max(look["ior"], 1.0))
    put(body, ["Transmission Weight", "Transmission"], look["transmission"])
    if look["ior"] <= 1 and not clear:
        put(body, ["Specular IOR Level", "Specular"], 0.0)
    if look["subsurface"] > 0 and not clear:
        put(body, ["Subsurface Weight", "Subsurface"], 1.0)
        put(body, ["Subsurface Scale"], 1.0)
        put(body, ["Subsurface Radius"], [look["subsurface"]] * 3)
    glow = put(body, ["Emission Color", "Emission"], [0, 0, 0, 1])
    put(body, ["Emission Strength"], 1.0)
    by_points = (("displayColor", color, "Color"), ("glow", glow, "Color"), ("roughness", rough, "Fac"))
    for field, socket, output in by_points:
        if field in fields and not clear:
            node = tree.nodes.new("ShaderNodeAttribute")
            node.attribute_name = field
            tree.links.new(node.outputs[output], socket)
    surface = body
    if clear:  # lamps shine straight through, as in phyxel's own pictures: coloured shadows without caustics
        surface, light = tree.nodes.new("ShaderNodeMixShader"), tree.nodes.new("ShaderNodeLightPath")
        straight = tree.nodes.new("ShaderNodeBsdfTransparent")
        tree.links.new(light.outputs["Is Shadow Ray"], surface.inputs[0])
        tree.links.new(body.outputs[0], surface.inputs[1])
        tree.links.new(straight.outputs[0], surface.inputs[2])
        volume = make_volume(tree, look)
        if volume:
            tree.links.new(volume.outputs[0], out.inputs["Volume"])
    tree.links.new(surface.outputs[0], out.inputs["Surface"])
    return material


# ---------------------------------------------------------------------------------------------------------------- stage

def make_sky(bpy, stage):
    """The dome lights; the camera, and what it sees through windows, has something calmer behind it."""
    world = bpy.data.worlds.new("stage")
    world.use_nodes = True
    tree = world.node_tree
    tree.nodes.clear()
    place, split = tree.nodes.new("ShaderNodeTexCoord"), tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(place.outputs["Generated"], split.inputs[0])
    backgrounds = []
    for key in ("dome", "behind"):
        ramp, background = tree.nodes.new("ShaderNodeValToRGB"), tree.nodes.new("ShaderNodeBackground")
        stops = ramp.color_ramp.elements
        colors = stage[key]
        for i, color in enumerate(colors):
            at = i / (len(colors) - 1)
            stop = stops[0] if i == 0 else stops[-1] if i == len(colors) - 1 else stops.new(at)
            stop.position, stop.color = at, [*color, 1]
        tree.links.new(split.outputs["Z"], ramp.inputs[0])
        tree.links.new(ramp.outputs[0], background.inputs["Color"])
        backgrounds.append(background)
    path, either = tree.nodes.new("ShaderNodeLightPath"), tree.nodes.new("ShaderNodeMath")
    either.operation = "MAXIMUM"
    tree.links.new(path.outputs["Is Camera Ray"], either.inputs[0])
    tree.links.new(path.outputs["Is Transmission Ray"], either.inputs[1])
    mix, out = tree.nodes.new("ShaderNodeMixShader"), tree.nodes.new("ShaderNodeOutputWorld")
    tree.links.new(either.outputs[0], mix.inputs[0])
    tree.links.new(backgrounds[0].outputs[0], mix.inputs[1])
    tree.links.new(backgrounds[1].outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], out.inputs["Surface"])
    return world


def make_floor(bpy, stage):
    """Fades into what is behind between 2.2 and 6 radii. A little too high, so that what stands on it has no gap."""
    radius, (x, y, _) = stage["radius"], stage["center"]
    corners = numpy.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype="f4") * 6 * radius
    mesh = make_mesh(bpy, "floor", corners, numpy.array([[0, 1, 2], [0, 2, 3]], dtype="i4"), {})
    material = bpy.data.materials.new("floor")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    place, far = tree.nodes.new("ShaderNodeTexCoord"), tree.nodes.new("ShaderNodeVectorMath")
    far.operation = "LENGTH"
    tree.links.new(place.outputs["Object"], far.inputs[0])

    def smooth(low, high, begin, end):
        node = tree.nodes.new("ShaderNodeMapRange")
        node.interpolation_type = "SMOOTHSTEP"
        values = {"From Min": low * radius, "From Max": high * radius, "To Min": begin, "To Max": end}
        for name, value in values.items():
            node.inputs[name].default_value = value
        tree.links.new(far.outputs["Value"], node.inputs["Value"])
        return node

    shade = tree.nodes.new("ShaderNodeVectorMath")
    shade.operation = "SCALE"
    shade.inputs[0].default_value = stage["floor_color"]
    tree.links.new(smooth(0.8, 5, 1, 0.5).outputs[0], shade.inputs["Scale"])
    chalk, nothing = tree.nodes.new("ShaderNodeBsdfDiffuse"), tree.nodes.new("ShaderNodeBsdfTransparent")
    tree.links.new(shade.outputs[0], chalk.inputs["Color"])
    mix, out = tree.nodes.new("ShaderNodeMixShader"), tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(smooth(2.2, 6, 0, 1).outputs[0], mix.inputs[0])
    tree.links.new(chalk.outputs[0], mix.inputs[1])
    tree.links.new(nothing.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], out.inputs["Surface"])
    mesh.materials.append(material)
    thing = bpy.data.objects.new("floor", mesh)
    thing.location = (x, y, stage["floor"] + 5e-4 * radius)
    return thing


def make_lamp(bpy, number, lamp):
    from mathutils import Vector

    light = bpy.data.lights.new(f"lamp {number}", "SUN")
    strength = max(lamp["irradiance"])
    light.energy, light.angle = strength, 2 * lamp["half_angle"]
    light.color = [c / strength for c in lamp["irradiance"]]
    thing = bpy.data.objects.new(light.name, light)
    thing.rotation_euler = Vector(lamp["direction"]).to_track_quat("Z", "Y").to_euler()
    return thing


def make_camera(bpy, view, width, height):
    from mathutils import Matrix, Vector

    camera = bpy.data.cameras.new("camera")
    eye, target = Vector(view["eye"]), Vector(view["target"])
    camera.sensor_fit, camera.angle_y = "VERTICAL", math.radians(view["field_of_view"])
    camera.clip_start, camera.clip_end = 1e-3 * (target - eye).length, 1e3 * (target - eye).length
    back = (eye - target).normalized()
    right = Vector(view["up"]).cross(back).normalized()
    up = back.cross(right)
    thing = bpy.data.objects.new("camera", camera)
    thing.matrix_world = Matrix.Translation(eye) @ Matrix((right, up, back)).transposed().to_4x4()
    return thing


# ---------------------------------------------------------------------------------------------------------------- scene

def build(path):
    """Everything of a description in an empty scene, which it returns."""
    import bpy

    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    if told.get("phyxel") != 1:
        raise ValueError(f"{path}: not written by phyxel")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene, stage = bpy.context.scene, told["stage"]
    scene.world = make_sky(bpy, stage)
    things = [make_camera(bpy, told["camera"], told["width"], told["height"])]
    scene.camera = things[0]
    things += [make_lamp(bpy, i, lamp) for i, lamp in enumerate(stage["lamps"])]
    if stage["floor"] is not None:
        things.append(make_floor(bpy, stage))
    for part in told["parts"]:
        positions, triangles, fields = read_ply(os.path.join(os.path.dirname(path), part["file"]))
        if not part["triangles"] and "radius" not in fields:
            own = fields.get("spacing")
            fields["radius"] = 0.5 * own if own is not None else numpy.full(len(positions), part["radius"], dtype="f4")
        mesh = make_mesh(bpy, part["name"], positions, triangles, fields)
        material = make_material(bpy, part["name"], part["look"], fields)
        mesh.materials.append(material)
        thing = bpy.data.objects.new(part["name"], mesh)
        if not part["triangles"]:
            draw_as_balls(bpy, thing, material)
        things.append(thing)
    for thing in things:
        scene.collection.objects.link(thing)
    scene.render.resolution_x, scene.render.resolution_y = told["width"], told["height"]
    scene.render.resolution_percentage = 100
    return scene


def choose_cycles(scene, samples, threads):
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_adaptive_sampling = True
    scene.cycles.max_bounces = scene.cycles.transmission_bounces = scene.cycles.transparent_max_bounces = 12
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.sample_clamp_direct, scene.cycles.sample_clamp_indirect = 8, 3
    try:
        scene.cycles.use_denoising = True
        scene.cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:  # a build without it
        scene.cycles.use_denoising = False
    if threads > 0:
        scene.render.threads_mode, scene.render.threads = "FIXED", threads
    for curve in ("Khronos PBR Neutral", "Standard"):  # the first is that of phyxel's own pictures; from 4.2 on
        try:
            scene.view_settings.view_transform = curve
            return
        except TypeError:
            pass


def write_bytes(image, path):
    """Red, green, blue of the pixels, top row first."""
    import bpy

    picture = bpy.data.images.load(os.path.abspath(image))
    width, height = picture.size
    pixels = numpy.empty(4 * width * height, dtype="f4")
    picture.pixels.foreach_get(pixels)
    rows = pixels.reshape(height, width, 4)[::-1, :, :3]
    with open(path, "wb") as file:
        file.write((rows * 255 + 0.5).astype("u1").tobytes())


def main(arguments):
    parser = argparse.ArgumentParser(prog="blender_render.py", description=__doc__.split("\n")[0])
    parser.add_argument("scene", help="a .json file of phx_stage_write")
    parser.add_argument("--image", help="draw it: a .png file")
    parser.add_argument("--bytes", help="also write its pixels, three bytes each; for phyxel")
    parser.add_argument("--samples", type=int, default=64, help="paths a pixel, at most")
    parser.add_argument("--threads", type=int, default=0, help="0: one per processor")
    parser.add_argument("--save", help="write a .blend file")
    options = parser.parse_args(arguments)
    import bpy

    scene = build(options.scene)
    choose_cycles(scene, options.samples, options.threads)
    if options.save:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(options.save))
    if options.image:
        scene.render.filepath = os.path.abspath(options.image)
        scene.render.image_settings.file_format = "PNG"
        scene.render.image_settings.color_mode = "RGB"
        bpy.ops.render.render(write_still=True)
        if options.bytes:
            write_bytes(options.image, options.bytes)
    return 0


if __name__ == "__main__":
    # Blender hands on what stands behind "--".
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    sys.exit(main(words))
