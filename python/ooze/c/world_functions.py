"""Functions: the world.

Written by tools/python_bindings.py from include/ooze/world.h; edit that.
"""
from __future__ import annotations

from ctypes import (POINTER, byref, c_bool, c_char_p, c_double, c_int, c_uint64, c_void_p)
from typing import Any
from ooze.c._support import Text, bind, check, text_of
from ooze.c.status_types import OozeError
from ooze.c.types_types import (OozeEmitterId, OozeJointId, OozeMaterialId, OozeParamInfo,
                                OozeProbeId, OozeProgressCallback, OozeSolidId, OozeVec3)
from ooze.c.shape_types import OozeSolidPose
from ooze.c.frame_types import OozeFrame
from ooze.c.world_types import (OozeChangeDef, OozeEmitterDef, OozeFluidDef, OozeHeatSourceDef,
                                OozeJointDef, OozeMaterialDef, OozeMethodInfo, OozePresetInfo,
                                OozeProbeDef, OozeProbeReading, OozePushDef, OozeSinkDef,
                                OozeSolidDef, OozeTemperatureRow, OozeWorld, OozeWorldDef,
                                OozeWorldStats)


_ooze_world_def_default = bind("ooze_world_def_default", OozeWorldDef)
def ooze_world_def_default() -> OozeWorldDef:
    """The default values of OozeWorldDef."""
    return _ooze_world_def_default()


_ooze_world_create = bind("ooze_world_create", c_int, POINTER(OozeWorldDef),
                          POINTER(POINTER(OozeWorld)), POINTER(OozeError))
def ooze_world_create(def_: OozeWorldDef | Any) -> Any:
    """World: create."""
    world = POINTER(OozeWorld)()
    check(_ooze_world_create, def_, byref(world), outputs=(world,))
    return world


_ooze_world_destroy = bind("ooze_world_destroy", None, POINTER(OozeWorld))
def ooze_world_destroy(world: Any) -> None:
    """Frees the world."""
    _ooze_world_destroy(world)


_ooze_method_count = bind("ooze_method_count", c_int)
def ooze_method_count() -> int:
    """Method: count."""
    return _ooze_method_count()


_ooze_method_info = bind("ooze_method_info", POINTER(OozeMethodInfo), c_int)
def ooze_method_info(index: int) -> Any:
    """Method: info."""
    return _ooze_method_info(index)


_ooze_world_set_param = bind("ooze_world_set_param", c_int, POINTER(OozeWorld), Text, c_double,
                             POINTER(OozeError))
def ooze_world_set_param(world: Any, key: str | bytes | None, value: float) -> None:
    """A setting of the world's method by its key; a new value acts from the next step on."""
    check(_ooze_world_set_param, world, key, value)


_ooze_world_get_param = bind("ooze_world_get_param", c_int, POINTER(OozeWorld), Text,
                             POINTER(c_double), POINTER(OozeError))
def ooze_world_get_param(world: Any, key: str | bytes | None) -> float:
    """World: get param."""
    value = c_double()
    check(_ooze_world_get_param, world, key, byref(value), outputs=(value,))
    return value.value


_ooze_material_params = bind("ooze_material_params", POINTER(OozeParamInfo), POINTER(c_int))
def ooze_material_params() -> list[OozeParamInfo]:
    """The numbers of a material, the same list for every method; `*count` is its length."""
    count = c_int()
    items = _ooze_material_params(byref(count))
    return [items[i] for i in range(count.value)]


_ooze_temperature_row_default = bind("ooze_temperature_row_default", OozeTemperatureRow)
def ooze_temperature_row_default() -> OozeTemperatureRow:
    """The default values of OozeTemperatureRow."""
    return _ooze_temperature_row_default()


_ooze_material_def_default = bind("ooze_material_def_default", OozeMaterialDef)
def ooze_material_def_default() -> OozeMaterialDef:
    """The default values of OozeMaterialDef."""
    return _ooze_material_def_default()


_ooze_material_def_set = bind("ooze_material_def_set", c_int, POINTER(OozeMaterialDef), Text,
                              c_double, POINTER(OozeError))
def ooze_material_def_set(def_: OozeMaterialDef | Any, key: str | bytes | None,
                          value: float) -> None:
    """Sets the number with that key in `values`. Where the numbers are those of a preset, a
    compliance, or a viscosity where the preset has a relaxation time, replaces the preset's
    modulus.
    """
    check(_ooze_material_def_set, def_, key, value)


_ooze_world_add_material = bind("ooze_world_add_material", c_int, POINTER(OozeWorld),
                                POINTER(OozeMaterialDef), POINTER(OozeMaterialId),
                                POINTER(OozeError))
def ooze_world_add_material(world: Any, def_: OozeMaterialDef | Any) -> OozeMaterialId:
    """World: add material."""
    id = OozeMaterialId()
    check(_ooze_world_add_material, world, def_, byref(id), outputs=(id,))
    return id


_ooze_world_set_material = bind("ooze_world_set_material", c_int, POINTER(OozeWorld),
                                OozeMaterialId, Text, c_double, POINTER(OozeError))
def ooze_world_set_material(world: Any, id: OozeMaterialId, key: str | bytes | None,
                            value: float) -> None:
    """Sets a number of a material; the new value acts from the next step on."""
    check(_ooze_world_set_material, world, id, key, value)


_ooze_world_get_material = bind("ooze_world_get_material", c_int, POINTER(OozeWorld),
                                OozeMaterialId, Text, POINTER(c_double), POINTER(OozeError))
def ooze_world_get_material(world: Any, id: OozeMaterialId, key: str | bytes | None) -> float:
    """World: get material."""
    value = c_double()
    check(_ooze_world_get_material, world, id, key, byref(value), outputs=(value,))
    return value.value


_ooze_preset_count = bind("ooze_preset_count", c_int)
def ooze_preset_count() -> int:
    """Preset: count."""
    return _ooze_preset_count()


_ooze_preset_info = bind("ooze_preset_info", POINTER(OozePresetInfo), c_int)
def ooze_preset_info(index: int) -> Any:
    """Preset: info."""
    return _ooze_preset_info(index)


_ooze_preset_origin_name = bind("ooze_preset_origin_name", c_char_p, c_int)
def ooze_preset_origin_name(origin: int) -> str | None:
    """"measured", "typical" or "artistic"; NULL: out of range."""
    return text_of(_ooze_preset_origin_name(origin))


_ooze_material_preset = bind("ooze_material_preset", c_int, Text, POINTER(OozeMaterialDef),
                             POINTER(OozeError))
def ooze_material_preset(name: str | bytes | None, def_: OozeMaterialDef | Any) -> None:
    """A material definition with the name, numbers, colour and look of a preset. In methods other
    than conformation, the first step of a world after such a material is added replaces its
    numbers by those with which the method comes nearest to it, as in a scene file: for the fluids,
    emitters and solids that the world has then, and for its `duration`. Also settings of the
    method that it needs are set then. Numbers that ooze_material_def_set, ooze_world_set_material
    and ooze_world_set_param have set stay, and values that differ from those of the preset.
    """
    check(_ooze_material_preset, name, def_)


_ooze_solid_param_name = bind("ooze_solid_param_name", c_char_p, c_int)
def ooze_solid_param_name(param: int) -> str | None:
    """The key of a parameter in scenes: "friction", ...; NULL: out of range."""
    return text_of(_ooze_solid_param_name(param))


_ooze_solid_def_default = bind("ooze_solid_def_default", OozeSolidDef)
def ooze_solid_def_default() -> OozeSolidDef:
    """The default values of OozeSolidDef."""
    return _ooze_solid_def_default()


_ooze_world_add_solid = bind("ooze_world_add_solid", c_int, POINTER(OozeWorld),
                             POINTER(OozeSolidDef), POINTER(OozeSolidId), POINTER(OozeError))
def ooze_world_add_solid(world: Any, def_: OozeSolidDef | Any) -> OozeSolidId:
    """World: add solid."""
    id = OozeSolidId()
    check(_ooze_world_add_solid, world, def_, byref(id), outputs=(id,))
    return id


_ooze_world_set_solid = bind("ooze_world_set_solid", c_int, POINTER(OozeWorld), OozeSolidId, c_int,
                             c_double, POINTER(OozeError))
def ooze_world_set_solid(world: Any, id: OozeSolidId, param: int, value: float) -> None:
    """`value` may be NAN, as in the definition of a solid: no friction or temperature of its own.
    """
    check(_ooze_world_set_solid, world, id, param, value)


_ooze_world_get_solid = bind("ooze_world_get_solid", c_int, POINTER(OozeWorld), OozeSolidId, c_int,
                             POINTER(c_double), POINTER(OozeError))
def ooze_world_get_solid(world: Any, id: OozeSolidId, param: int) -> float:
    """World: get solid."""
    value = c_double()
    check(_ooze_world_get_solid, world, id, param, byref(value), outputs=(value,))
    return value.value


_ooze_world_set_solid_pose = bind("ooze_world_set_solid_pose", c_int, POINTER(OozeWorld),
                                  OozeSolidId, POINTER(OozeSolidPose), POINTER(OozeError))
def ooze_world_set_solid_pose(world: Any, id: OozeSolidId, pose: OozeSolidPose | Any) -> None:
    """Replaces the motion of the solid: it moves to `pose` during the next step, and then on with
    the velocity and spin of the pose until the next call. A dynamic solid has the pose, velocity
    and spin at once, and stays dynamic.
    """
    check(_ooze_world_set_solid_pose, world, id, pose)


_ooze_joint_param_name = bind("ooze_joint_param_name", c_char_p, c_int)
def ooze_joint_param_name(param: int) -> str | None:
    """The key of a parameter in scenes: "speed", ...; NULL: out of range."""
    return text_of(_ooze_joint_param_name(param))


_ooze_joint_def_default = bind("ooze_joint_def_default", OozeJointDef)
def ooze_joint_def_default() -> OozeJointDef:
    """The default values of OozeJointDef."""
    return _ooze_joint_def_default()


_ooze_world_add_joint = bind("ooze_world_add_joint", c_int, POINTER(OozeWorld),
                             POINTER(OozeJointDef), POINTER(OozeJointId), POINTER(OozeError))
def ooze_world_add_joint(world: Any, def_: OozeJointDef | Any) -> OozeJointId:
    """Connects two solids, at least one of which is dynamic; they do not collide with each other.
    Needs a build with ODE.
    """
    id = OozeJointId()
    check(_ooze_world_add_joint, world, def_, byref(id), outputs=(id,))
    return id


_ooze_world_set_joint = bind("ooze_world_set_joint", c_int, POINTER(OozeWorld), OozeJointId, c_int,
                             c_double, POINTER(OozeError))
def ooze_world_set_joint(world: Any, id: OozeJointId, param: int, value: float) -> None:
    """World: set joint."""
    check(_ooze_world_set_joint, world, id, param, value)


_ooze_fluid_def_default = bind("ooze_fluid_def_default", OozeFluidDef)
def ooze_fluid_def_default() -> OozeFluidDef:
    """The default values of OozeFluidDef."""
    return _ooze_fluid_def_default()


_ooze_world_add_fluid = bind("ooze_world_add_fluid", c_int, POINTER(OozeWorld),
                             POINTER(OozeFluidDef), POINTER(c_uint64), POINTER(OozeError))
def ooze_world_add_fluid(world: Any, def_: OozeFluidDef | Any) -> int:
    """Fills the shape with particles; `*added` is their number; `added` may be NULL."""
    added = c_uint64()
    check(_ooze_world_add_fluid, world, def_, byref(added), outputs=(added,))
    return added.value


_ooze_world_add_particles = bind("ooze_world_add_particles", c_int, POINTER(OozeWorld),
                                 OozeMaterialId, c_uint64, POINTER(OozeVec3), POINTER(OozeVec3),
                                 POINTER(OozeError))
def ooze_world_add_particles(world: Any, material: OozeMaterialId, n: int,
                             positions: OozeVec3 | Any, velocities: OozeVec3 | Any) -> None:
    """Adds n particles at given positions (m) with given velocities (m/s). `velocities` may be
    NULL: at rest.
    """
    check(_ooze_world_add_particles, world, material, n, positions, velocities)


_ooze_emitter_def_default = bind("ooze_emitter_def_default", OozeEmitterDef)
def ooze_emitter_def_default() -> OozeEmitterDef:
    """The default values of OozeEmitterDef."""
    return _ooze_emitter_def_default()


_ooze_world_add_emitter = bind("ooze_world_add_emitter", c_int, POINTER(OozeWorld),
                               POINTER(OozeEmitterDef), POINTER(OozeEmitterId), POINTER(OozeError))
def ooze_world_add_emitter(world: Any, def_: OozeEmitterDef | Any) -> OozeEmitterId:
    """A nozzle that emits a jet of particles."""
    id = OozeEmitterId()
    check(_ooze_world_add_emitter, world, def_, byref(id), outputs=(id,))
    return id


_ooze_world_set_emitter_speed = bind("ooze_world_set_emitter_speed", c_int, POINTER(OozeWorld),
                                     OozeEmitterId, c_double, POINTER(OozeError))
def ooze_world_set_emitter_speed(world: Any, id: OozeEmitterId, speed: float) -> None:
    """World: set emitter speed."""
    check(_ooze_world_set_emitter_speed, world, id, speed)


_ooze_sink_def_default = bind("ooze_sink_def_default", OozeSinkDef)
def ooze_sink_def_default() -> OozeSinkDef:
    """The default values of OozeSinkDef."""
    return _ooze_sink_def_default()


_ooze_world_add_sink = bind("ooze_world_add_sink", c_int, POINTER(OozeWorld), POINTER(OozeSinkDef),
                            POINTER(OozeError))
def ooze_world_add_sink(world: Any, def_: OozeSinkDef | Any) -> None:
    """A volume that removes particles."""
    check(_ooze_world_add_sink, world, def_)


_ooze_heat_source_def_default = bind("ooze_heat_source_def_default", OozeHeatSourceDef)
def ooze_heat_source_def_default() -> OozeHeatSourceDef:
    """The default values of OozeHeatSourceDef."""
    return _ooze_heat_source_def_default()


_ooze_world_add_heat_source = bind("ooze_world_add_heat_source", c_int, POINTER(OozeWorld),
                                   POINTER(OozeHeatSourceDef), POINTER(OozeError))
def ooze_world_add_heat_source(world: Any, def_: OozeHeatSourceDef | Any) -> None:
    """A volume that heats particles."""
    check(_ooze_world_add_heat_source, world, def_)


_ooze_change_def_default = bind("ooze_change_def_default", OozeChangeDef)
def ooze_change_def_default() -> OozeChangeDef:
    """The default values of OozeChangeDef."""
    return _ooze_change_def_default()


_ooze_world_add_change = bind("ooze_world_add_change", c_int, POINTER(OozeWorld),
                              POINTER(OozeChangeDef), POINTER(OozeError))
def ooze_world_add_change(world: Any, def_: OozeChangeDef | Any) -> None:
    """A number that changes at a given time. Several changes of one number are its keyframes: a
    change that begins ends the one before it, finished or not.
    """
    check(_ooze_world_add_change, world, def_)


_ooze_push_def_default = bind("ooze_push_def_default", OozePushDef)
def ooze_push_def_default() -> OozePushDef:
    """The default values of OozePushDef."""
    return _ooze_push_def_default()


_ooze_world_add_push = bind("ooze_world_add_push", c_int, POINTER(OozeWorld), POINTER(OozePushDef),
                            POINTER(OozeError))
def ooze_world_add_push(world: Any, def_: OozePushDef | Any) -> None:
    """Velocity added at once to the particles near a point."""
    check(_ooze_world_add_push, world, def_)


_ooze_world_add_velocities = bind("ooze_world_add_velocities", c_int, POINTER(OozeWorld), c_uint64,
                                  POINTER(OozeVec3), POINTER(OozeError))
def ooze_world_add_velocities(world: Any, n: int, velocities: OozeVec3 | Any) -> None:
    """Adds a velocity (m/s) to each particle at once, in the order of ooze_world_frame; `n` must
    be the number of particles. A force is its acceleration times the time step, added before each
    step.
    """
    check(_ooze_world_add_velocities, world, n, velocities)


_ooze_probe_def_default = bind("ooze_probe_def_default", OozeProbeDef)
def ooze_probe_def_default() -> OozeProbeDef:
    """The default values of OozeProbeDef."""
    return _ooze_probe_def_default()


_ooze_world_add_probe = bind("ooze_world_add_probe", c_int, POINTER(OozeWorld),
                             POINTER(OozeProbeDef), POINTER(OozeProbeId), POINTER(OozeError))
def ooze_world_add_probe(world: Any, def_: OozeProbeDef | Any) -> OozeProbeId:
    """World: add probe."""
    id = OozeProbeId()
    check(_ooze_world_add_probe, world, def_, byref(id), outputs=(id,))
    return id


_ooze_world_probe_count = bind("ooze_world_probe_count", c_int, POINTER(OozeWorld))
def ooze_world_probe_count(world: Any) -> int:
    """World: probe count."""
    return _ooze_world_probe_count(world)


_ooze_world_measure = bind("ooze_world_measure", c_int, POINTER(OozeWorld), c_bool,
                           POINTER(OozeError))
def ooze_world_measure(world: Any, steps_only: bool) -> None:
    """Measures the present state with all probes; `steps_only`: with those of every step."""
    check(_ooze_world_measure, world, steps_only)


_ooze_world_probe = bind("ooze_world_probe", c_int, POINTER(OozeWorld), OozeProbeId,
                         POINTER(OozeProbeReading), POINTER(OozeError))
def ooze_world_probe(world: Any, id: OozeProbeId) -> OozeProbeReading:
    """World: probe."""
    reading = OozeProbeReading()
    check(_ooze_world_probe, world, id, byref(reading), outputs=(reading,))
    return reading


_ooze_world_find_material = bind("ooze_world_find_material", c_int, POINTER(OozeWorld), Text,
                                 POINTER(OozeMaterialId), POINTER(OozeError))
def ooze_world_find_material(world: Any, name: str | bytes | None) -> OozeMaterialId:
    """The id of the item of that name, for worlds built from a scene; the first of several."""
    id = OozeMaterialId()
    check(_ooze_world_find_material, world, name, byref(id), outputs=(id,))
    return id


_ooze_world_find_solid = bind("ooze_world_find_solid", c_int, POINTER(OozeWorld), Text,
                              POINTER(OozeSolidId), POINTER(OozeError))
def ooze_world_find_solid(world: Any, name: str | bytes | None) -> OozeSolidId:
    """World: find solid."""
    id = OozeSolidId()
    check(_ooze_world_find_solid, world, name, byref(id), outputs=(id,))
    return id


_ooze_world_find_emitter = bind("ooze_world_find_emitter", c_int, POINTER(OozeWorld), Text,
                                POINTER(OozeEmitterId), POINTER(OozeError))
def ooze_world_find_emitter(world: Any, name: str | bytes | None) -> OozeEmitterId:
    """World: find emitter."""
    id = OozeEmitterId()
    check(_ooze_world_find_emitter, world, name, byref(id), outputs=(id,))
    return id


_ooze_world_find_probe = bind("ooze_world_find_probe", c_int, POINTER(OozeWorld), Text,
                              POINTER(OozeProbeId), POINTER(OozeError))
def ooze_world_find_probe(world: Any, name: str | bytes | None) -> OozeProbeId:
    """World: find probe."""
    id = OozeProbeId()
    check(_ooze_world_find_probe, world, name, byref(id), outputs=(id,))
    return id


_ooze_world_step = bind("ooze_world_step", c_int, POINTER(OozeWorld), POINTER(OozeError))
def ooze_world_step(world: Any) -> None:
    """Takes one time step."""
    check(_ooze_world_step, world)


_ooze_world_advance = bind("ooze_world_advance", c_int, POINTER(OozeWorld), c_double,
                           OozeProgressCallback, c_void_p, POINTER(OozeError))
def ooze_world_advance(world: Any, seconds: float, progress: Any, user: Any) -> None:
    """Takes steps for `seconds` of simulated time. `progress` may be NULL; `user` is passed to it.
    """
    check(_ooze_world_advance, world, seconds, progress or OozeProgressCallback(), user)


_ooze_world_stats = bind("ooze_world_stats", None, POINTER(OozeWorld), POINTER(OozeWorldStats))
def ooze_world_stats(world: Any) -> OozeWorldStats:
    """World: stats."""
    stats = OozeWorldStats()
    _ooze_world_stats(world, byref(stats))
    return stats


_ooze_world_frame = bind("ooze_world_frame", POINTER(OozeFrame), POINTER(OozeWorld))
def ooze_world_frame(world: Any) -> Any:
    """The present state, valid until the next call that changes the world; NULL: out of memory."""
    return _ooze_world_frame(world)


_ooze_world_keep_arrays = bind("ooze_world_keep_arrays", c_int, POINTER(OozeWorld), c_bool,
                               POINTER(OozeError))
def ooze_world_keep_arrays(world: Any, keep: bool) -> None:
    """While arrays are kept, memory of particle fields that a frame of the world points to is not
    freed when the arrays grow: old pointers stay readable, and show an earlier state. `keep` false
    frees it. For bindings whose views may outlive a step; a new world keeps none.
    """
    check(_ooze_world_keep_arrays, world, keep)


_ooze_world_restore = bind("ooze_world_restore", c_int, POINTER(OozeWorld), POINTER(OozeFrame),
                           POINTER(OozeError))
def ooze_world_restore(world: Any, frame: OozeFrame | Any) -> None:
    """Sets the state to that of a frame. The frame's world must have had the same definition, with
    the same items added in the same order.
    """
    check(_ooze_world_restore, world, frame)
