"""Node trees of Blender for the looks of Ooze."""
import bpy

from . import looks


def set_input(node, value, *names):
    """Sets the first of the named inputs that this version of Blender has."""
    for name in names:
        if name in node.inputs:
            node.inputs[name].default_value = value
            return True
    return False


def add_volume(tree, output, look):
    """Absorption by Beer's law, and scattering of a cloudy medium."""
    absorption = look.absorption()
    density = max(max(absorption), 1e-9)
    absorb = tree.nodes.new("ShaderNodeVolumeAbsorption")
    absorb.location = (0, -420)
    # the node absorbs density (1 - colour) per metre
    absorb.inputs["Color"].default_value = (*(1.0 - a / density for a in absorption), 1.0)
    absorb.inputs["Density"].default_value = density
    volume = absorb.outputs[0]
    if look.cloudiness > 0.0:
        scatter = tree.nodes.new("ShaderNodeVolumeScatter")
        scatter.location = (0, -580)
        scatter.inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)
        scatter.inputs["Density"].default_value = look.scattering()
        both = tree.nodes.new("ShaderNodeAddShader")
        both.location = (200, -480)
        tree.links.new(volume, both.inputs[0])
        tree.links.new(scatter.outputs[0], both.inputs[1])
        volume = both.outputs[0]
    tree.links.new(volume, output.inputs["Volume"])


def let_light_through(tree, shader, output):
    """Refracts rays from the camera and of reflections only: shadows and light between dull
    surfaces cross the medium straight and are absorbed, as in the renderer of Ooze. Otherwise
    what lies under the fluid is lit by rare caustics alone, and is dark and noisy."""
    path = tree.nodes.new("ShaderNodeLightPath")
    path.location = (-220, 420)
    either = tree.nodes.new("ShaderNodeMath")
    either.operation = "MAXIMUM"
    either.location = (0, 300)
    tree.links.new(path.outputs["Is Shadow Ray"], either.inputs[0])
    tree.links.new(path.outputs["Is Diffuse Ray"], either.inputs[1])
    straight = tree.nodes.new("ShaderNodeBsdfTransparent")
    straight.location = (0, 120)
    mix = tree.nodes.new("ShaderNodeMixShader")
    mix.location = (220, 120)
    tree.links.new(either.outputs[0], mix.inputs[0])
    tree.links.new(shader.outputs[0], mix.inputs[1])
    tree.links.new(straight.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], output.inputs["Surface"])


def set_surface(shader, look):
    """The surface of Principled BSDF."""
    color = (1.0, 1.0, 1.0) if look.kind == looks.CLEAR else look.color
    set_input(shader, (*color, 1.0), "Base Color")
    set_input(shader, look.roughness, "Roughness")
    set_input(shader, look.refraction, "IOR")
    # from Blender 4 on, 0.5 is the reflection of the index of refraction
    if not set_input(shader, 0.5 * look.coat, "Specular IOR Level"):
        set_input(shader, look.specular(), "Specular")
    if look.kind == looks.METAL:
        set_input(shader, 1.0, "Metallic")
    elif look.kind == looks.CLEAR:
        set_input(shader, 1.0, "Transmission Weight", "Transmission")
    elif look.kind == looks.TRANSLUCENT:
        set_input(shader, look.translucency, "Subsurface Weight", "Subsurface")
        set_input(shader, (*look.color, 1.0), "Subsurface Color")
        # light goes deepest where the medium absorbs least
        radius = tuple(min(1.0 / a, 10.0 * look.depth) for a in look.absorption())
        set_input(shader, radius, "Subsurface Radius")
        set_input(shader, 1.0, "Subsurface Scale")


def new_material(name):
    """A material with an empty tree but for Principled BSDF and the output."""
    material = bpy.data.materials.new(name)
    if not material.node_tree:
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    output.location = (420, 0)
    shader = tree.nodes.new("ShaderNodeBsdfPrincipled")
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    return material, tree, shader, output


def of_look(name, look, units_per_metre=1.0):
    """The material of this name: made once, so that changes of the user are kept."""
    material = bpy.data.materials.get(name)
    if material:
        return material
    look.depth *= units_per_metre
    material, tree, shader, output = new_material(name)
    set_surface(shader, look)
    if look.kind == looks.CLEAR:
        let_light_through(tree, shader, output)
        add_volume(tree, output, look)
        if hasattr(material, "use_screen_refraction"):
            material.use_screen_refraction = True
    material.diffuse_color = (*look.color, 1.0)
    material.roughness = look.roughness
    material["ooze_look"] = look.name
    return material


def of_points(name, instances):
    """Opaque, in the colour of each particle."""
    material = bpy.data.materials.get(name)
    if material:
        return material
    material, tree, shader, _ = new_material(name)
    color = tree.nodes.new("ShaderNodeAttribute")
    color.location = (-220, 0)
    color.attribute_name = "color"
    color.attribute_type = "INSTANCER" if instances else "GEOMETRY"
    tree.links.new(color.outputs["Color"], shader.inputs["Base Color"])
    set_input(shader, 0.3, "Roughness")
    return material
