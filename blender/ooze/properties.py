"""Properties that the add-on adds to objects, scenes and the window manager."""
import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty,
                       FloatVectorProperty, IntProperty, PointerProperty, StringProperty)

PRESETS = ("water", "oil", "honey", "syrup", "cream", "whipped_cream", "yoghurt", "ketchup",
           "toothpaste", "dough", "clay", "slime", "jelly", "chewing_gum", "chocolate", "lava",
           "mucus", "wax", "pdms", "egg_white")
METHODS = ("conformation", "constraint", "links", "blend", "cauchy", "springs", "stress", "wcsph",
           "ballistic")


def items(names):
    return [(name, name.replace("_", " ").capitalize(), "") for name in names]


class OozePaletteColor(bpy.types.PropertyGroup):
    color: FloatVectorProperty(size=3)


class OozeCache(bpy.types.PropertyGroup):
    """What an imported object shows."""

    kind: EnumProperty(items=items(("NONE", "SURFACE", "POINTS", "SOLID")))
    run: StringProperty(subtype="DIR_PATH")
    folder: StringProperty(subtype="DIR_PATH")
    solid: StringProperty()
    frame_rate: FloatProperty(default=24)
    start: IntProperty()
    shown: StringProperty()
    palette: CollectionProperty(type=OozePaletteColor)


class OozeRole(bpy.types.PropertyGroup):
    """What an object is in the exported scene."""

    role: EnumProperty(
        name="Role", items=[("NONE", "None", "Not part of the simulation"),
                            ("FLUID", "Fluid", "A closed mesh that is filled with fluid"),
                            ("SOLID", "Solid", "An obstacle; its animation moves it"),
                            ("EMITTER", "Emitter", "A nozzle; the jet leaves along local -Z"),
                            ("SINK", "Sink", "A closed mesh in which fluid is removed")])
    preset: EnumProperty(name="Material", items=items(PRESETS) + [("CUSTOM", "Custom", "")],
                         default="honey")
    density: FloatProperty(name="Density", default=1000, min=0.001, max=1e5,
                           description="kg per cubic metre")
    viscosity: FloatProperty(name="Viscosity", default=10, min=0, description="Pa s")
    modulus: FloatProperty(name="Modulus", default=0, min=0,
                           description="Elastic shear modulus in Pa; 0: a viscous fluid. With a "
                           "viscosity, stress relaxes in viscosity / modulus")
    color: FloatVectorProperty(name="Colour", subtype="COLOR", default=(0.5, 0.6, 0.8), min=0,
                               max=1)
    body: EnumProperty(name="Body", items=items(("fluid", "rigid", "soft")))
    velocity: FloatVectorProperty(name="Velocity", subtype="VELOCITY",
                                  description="At the start, in m/s")
    plane: BoolProperty(name="Infinite plane", description="The local XY plane; +Z points away "
                        "from the solid side")
    no_slip: BoolProperty(name="No slip", default=True)
    friction: FloatProperty(name="Friction", default=0.5, min=0)
    solid_density: FloatProperty(name="Density", default=0, min=0,
                                 description="kg per cubic metre; 0: moved by its animation only")
    outline: EnumProperty(name="Opening", items=items(("disc", "rectangle")))
    radius: FloatProperty(name="Radius", default=0.02, min=1e-6, subtype="DISTANCE")
    size: FloatVectorProperty(name="Size", size=2, default=(0.04, 0.04), min=1e-6)
    speed: FloatProperty(name="Speed", default=0.5, min=0, description="m/s")
    start: FloatProperty(name="Opens", default=0, description="s")
    stop: FloatProperty(name="Closes", default=0, min=0, description="s; 0: never")
    heated: BoolProperty(name="Temperature")
    temperature: FloatProperty(name="Temperature", default=20, description="degrees Celsius")


class OozeScene(bpy.types.PropertyGroup):
    """Settings of a simulation and of imports."""

    spacing: FloatProperty(name="Spacing", default=0.01, min=1e-6, precision=4,
                           description="Distance of neighbouring particles in metres")
    method: EnumProperty(name="Method", items=items(METHODS))
    time_step: FloatProperty(name="Time step", default=0, min=0, precision=5,
                             description="In seconds; 0: chosen by Ooze")
    include: StringProperty(name="Include", subtype="FILE_PATH", description="A scene file with "
                            "further sections, such as heat or probes; may be empty")
    scene_file: StringProperty(name="Scene file", subtype="FILE_PATH",
                               default="//ooze/scene.yaml")
    run: StringProperty(name="Run folder", subtype="DIR_PATH", default="//ooze/run")
    threads: IntProperty(name="Threads", default=0, min=0, description="0: one per core")
    surface: BoolProperty(name="Surface", default=True, description="The surface as a mesh")
    points: BoolProperty(name="Particles", description="The particles as spheres")
    instances: BoolProperty(name="As instances", description="Instances of a small mesh, for "
                            "engines other than Cycles; else a point cloud")
    solids: BoolProperty(name="Solids", default=True)
    start: IntProperty(name="First frame", default=1,
                       description="Frame of the scene that shows frame 0 of the run")
    fit_range: BoolProperty(name="Set rate and range", default=True,
                            description="Gives the scene the frame rate and length of the run")


class OozeState(bpy.types.PropertyGroup):
    """What the panel shows of the running command."""

    running: BoolProperty()
    fraction: FloatProperty(subtype="PERCENTAGE", min=0, max=100)
    text: StringProperty()
    failed: BoolProperty()


CLASSES = (OozePaletteColor, OozeCache, OozeRole, OozeScene, OozeState)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Object.ooze_cache = PointerProperty(type=OozeCache)
    bpy.types.Object.ooze_role = PointerProperty(type=OozeRole)
    bpy.types.Scene.ooze = PointerProperty(type=OozeScene)
    bpy.types.WindowManager.ooze_state = PointerProperty(type=OozeState)


def unregister():
    del bpy.types.WindowManager.ooze_state
    del bpy.types.Scene.ooze
    del bpy.types.Object.ooze_role
    del bpy.types.Object.ooze_cache
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
