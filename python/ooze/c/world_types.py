"""Types: the world.

Written by tools/python_bindings.py from include/ooze/world.h; edit that.
"""
from __future__ import annotations

from ctypes import (POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_int32,
                    c_uint64, c_void_p)
from enum import IntEnum
from typing import Any
from ooze.c._support import enumerated, member, structure
from ooze.c.types_types import (OozeAxis, OozeDevice, OozeLogCallback, OozeMaterialId,
                                OozeParamInfo, OozeSolidId, OozeVec3)
from ooze.c.shape_types import OozeMotionDef, OozeShapeDef
from ooze.c.look_types import OozeLookDef


class OozeWorld(Structure):
    """An object of the library: OozeWorld."""


@structure
class OozeWorldDef(Structure):
    """The C structure OozeWorldDef."""
    method: bytes | None = member(c_char_p, "name: \"ballistic\", ...; see ooze_method_info")
    spacing: float = member(c_double, "m between neighbouring particles at rest")
    support_ratio: float = member(c_double,
        "kernel support radius over spacing; NAN: the method's default")
    time_step: float = member(c_double, "s")
    duration: float = member(c_double,
        "s, expected, which may be exceeded: presets are shown for it")
    max_travel: float = member(c_double,
        "Largest distance that a particle moves in a substep, in spacings: a step in which a "
        "particle would move farther is divided into 2 to 64 substeps. Particles in free "
        "flight, which meet no solids and no other particles than those that fly with them, "
        "may move any distance. 0: steps are never divided.")
    gravity: OozeVec3 = member(OozeVec3, "m/s2")
    up: int = enumerated(OozeAxis, c_int, "of shapes, height probes and exporters")
    periodic: Any = member(c_bool * 3, "for x, y, z: the axis wraps around")
    periodic_min: OozeVec3 = member(OozeVec3, "m, ends of the periodic axes")
    periodic_max: OozeVec3 = member(OozeVec3, "m, ends of the periodic axes")
    air_temperature: float = member(c_double,
        "degC, also of fluids and emitters without a temperature")
    air_transfer: float = member(c_double, "W/(m2 K) between free surfaces and the air; 0: none")
    threads: int = member(c_int, "0: one per core")
    device: int = enumerated(OozeDevice, c_int,
        "results of different devices are close, but not bitwise equal")
    seed: int = member(c_uint64, "of the jitter of fluids")
    log: Any = member(OozeLogCallback, "NULL: no log")
    log_user: Any = member(c_void_p, "passed to `log`")


@structure
class OozeMethodInfo(Structure):
    """The C structure OozeMethodInfo."""
    name: bytes | None = member(c_char_p)
    summary: bytes | None = member(c_char_p, "one line of description")
    reference: bytes | None = member(c_char_p, "the paper, or \"\"")
    params: Any = member(POINTER(OozeParamInfo), "settings")
    param_count: int = member(c_int)


@structure
class OozeTemperatureRow(Structure):
    """Numbers of a material at one temperature; NAN: not given. Between two rows they are
    interpolated geometrically, extension, stretch_rate and fluid_share linearly; beyond the first
    and the last row they are constant.
    """
    temperature: float = member(c_double, "degC")
    viscosity: float = member(c_double)
    modulus: float = member(c_double)
    relaxation_time: float = member(c_double)
    compliance: float = member(c_double)
    solvent_viscosity: float = member(c_double)
    yield_strain: float = member(c_double)
    surface_tension: float = member(c_double)
    extension: float = member(c_double)
    stretch_rate: float = member(c_double)
    fluid_share: float = member(c_double, "replace the numbers of the material")
    shift: float = member(c_double,
        "factor on viscosities and relaxation times, for time-temperature shifts")


@structure
class OozeMaterialDef(Structure):
    """The C structure OozeMaterialDef."""
    name: bytes | None = member(c_char_p)
    color: Any = member(c_float * 3, "linear RGB")
    values: Any = member(c_double * 64, "in the order of ooze_material_params; NAN: not given")
    look: OozeLookDef = member(OozeLookDef, "appearance in pictures")
    temperature_table: Any = member(POINTER(OozeTemperatureRow),
        "by rising temperature; copied; NULL: none")
    temperature_row_count: int = member(c_int)
    preset: bytes | None = member(c_char_p,
        "name of the preset that its numbers come from; NULL: none")
    stated: int = member(c_uint64, "bit i: ooze_material_def_set has set number i since")


class OozePresetOrigin(IntEnum):
    """Origin of a number of a preset."""
    # reported by the source, or computed from its data
    OOZE_PRESET_MEASURED = 0
    # order of magnitude of the material; samples differ
    OOZE_PRESET_TYPICAL = 1
    # chosen for a plausible motion
    OOZE_PRESET_ARTISTIC = 2
    OOZE_PRESET_ORIGIN_COUNT = 3


@structure
class OozePresetNumber(Structure):
    """The C structure OozePresetNumber."""
    key: bytes | None = member(c_char_p, "of ooze_material_params")
    value: float = member(c_double)
    origin: int = enumerated(OozePresetOrigin, c_int)
    source: bytes | None = member(c_char_p,
        "reference of the measurement, or reason of the choice; never empty")


@structure
class OozePresetInfo(Structure):
    """A predefined material, with numbers from the literature where available."""
    name: bytes | None = member(c_char_p, "\"whipped_cream\"")
    summary: bytes | None = member(c_char_p, "the variety of the material")
    model: bytes | None = member(c_char_p, "the fluid model, and the properties that it neglects")
    celsius: float = member(c_double, "degC at which the numbers are valid; NAN: any")
    numbers: Any = member(POINTER(OozePresetNumber))
    number_count: int = member(c_int)
    color: Any = member(c_float * 3, "linear RGB; colours and looks are chosen by eye")
    look: bytes | None = member(c_char_p, "name of a row of ooze_looks")


@structure
class OozeSolidDef(Structure):
    """The C structure OozeSolidDef."""
    name: bytes | None = member(c_char_p)
    shape: OozeShapeDef = member(OozeShapeDef)
    motion: OozeMotionDef = member(OozeMotionDef)
    friction: float = member(c_double,
        "Coulomb coefficient; 0: free slip, INFINITY: no slip. NAN, the default: no slip of "
        "fluid, and 0.5 of other solids, rigid bodies and particles of `ballistic`")
    restitution: float = member(c_double, "coefficient of restitution; 0: no bounce, 1: elastic")
    stick_distance: float = member(c_double, "m, range of adhesion; 0: none")
    stick_strength: float = member(c_double,
        "1/s2, k of the adhesion k d (1 - d/stick_distance) at distance d")
    collides: bool = member(c_bool, "particles cannot enter it")
    sampled: bool = member(c_bool, "has boundary particles, for methods that use them")
    temperature: float = member(c_double, "degC, of its surface; NAN: thermally insulating")
    conductivity: float = member(c_double, "W/(m K); NAN: fluid at its surface has its temperature")
    contact_angle: float = member(c_double,
        "degrees, of every liquid on it; NAN: that of the material")
    density: float = member(c_double,
        "kg/m3. 0: the solid follows its motion. Above 0: a dynamic solid, a rigid body moved "
        "by gravity, particles and other solids; its motion may hold the initial velocity and "
        "spin only.")
    visible: bool = member(c_bool, "in pictures")
    color: Any = member(c_float * 3, "linear RGB")
    look: OozeLookDef = member(OozeLookDef, "appearance in pictures")


class OozeSolidParam(IntEnum):
    """The C enumeration OozeSolidParam."""
    OOZE_SOLID_FRICTION = 0
    OOZE_SOLID_RESTITUTION = 1
    OOZE_SOLID_STICK_DISTANCE = 2
    OOZE_SOLID_STICK_STRENGTH = 3
    # 0 or 1
    OOZE_SOLID_COLLIDES = 4
    OOZE_SOLID_TEMPERATURE = 5
    OOZE_SOLID_CONDUCTIVITY = 6
    # degrees
    OOZE_SOLID_CONTACT_ANGLE = 7
    OOZE_SOLID_PARAM_COUNT = 8


class OozeJointKind(IntEnum):
    """The C enumeration OozeJointKind."""
    # free rotation about `anchor`
    OOZE_JOINT_BALL = 0
    # rotation about `axis` through `anchor`
    OOZE_JOINT_HINGE = 1
    # translation along `axis`, no rotation
    OOZE_JOINT_SLIDER = 2
    # no relative motion
    OOZE_JOINT_FIXED = 3
    OOZE_JOINT_KIND_COUNT = 4


@structure
class OozeJointDef(Structure):
    """Connects two solids, at least one of which is dynamic; they do not collide with each other.
    Needs a build with ODE.
    """
    name: bytes | None = member(c_char_p)
    kind: int = enumerated(OozeJointKind, c_int)
    solid: OozeSolidId = member(OozeSolidId, "other.index -1: the world")
    other: OozeSolidId = member(OozeSolidId, "other.index -1: the world")
    anchor: OozeVec3 = member(OozeVec3,
        "m, in the world at the time of adding; not finite: the solid's position")
    axis: OozeVec3 = member(OozeVec3, "of hinge and slider, in the world at the time of adding")
    low: float = member(c_double,
        "deg or m, limits of the angle or displacement since adding; NAN: none")
    high: float = member(c_double,
        "deg or m, limits of the angle or displacement since adding; NAN: none")
    speed: float = member(c_double,
        "deg/s or m/s, target of the motor, relative to the other solid")
    force: float = member(c_double, "N m or N, largest torque or force of the motor; 0: no motor")


class OozeJointParam(IntEnum):
    """The C enumeration OozeJointParam."""
    OOZE_JOINT_SPEED = 0
    OOZE_JOINT_FORCE = 1
    OOZE_JOINT_LOW = 2
    OOZE_JOINT_HIGH = 3
    OOZE_JOINT_PARAM_COUNT = 4


class OozeFill(IntEnum):
    """The C enumeration OozeFill."""
    # a cubic lattice
    OOZE_FILL_LATTICE = 0
    # the lattice with random displacements
    OOZE_FILL_JITTERED = 1
    # points relaxed to fit the surface of the shape
    OOZE_FILL_FITTED = 2


class OozeBodyKind(IntEnum):
    """Whether the particles of a volume are fluid or a body. Particle bodies interact with fluid;
    not every method supports them.
    """
    OOZE_BODY_FLUID = 0
    # keeps its shape
    OOZE_BODY_RIGID = 1
    # Elastic, with the modulus of its material. Particles that are inside a solid when the body
    # is added stay fixed to that solid.
    OOZE_BODY_SOFT = 2


@structure
class OozeFluidDef(Structure):
    """The C structure OozeFluidDef."""
    name: bytes | None = member(c_char_p)
    material: OozeMaterialId = member(OozeMaterialId)
    shape: OozeShapeDef = member(OozeShapeDef)
    body: int = enumerated(OozeBodyKind, c_int)
    fill: int = enumerated(OozeFill, c_int)
    jitter: float = member(c_double, "largest displacement of OOZE_FILL_JITTERED, in spacings")
    velocity: OozeVec3 = member(OozeVec3, "m/s")
    spin: OozeVec3 = member(OozeVec3, "deg/s, angular velocity about the shape's position")
    temperature: float = member(c_double, "degC; NAN: that of the air")


class OozeOutline(IntEnum):
    """The C enumeration OozeOutline."""
    # `radius`
    OOZE_OUTLINE_DISC = 0
    # `size` x and y
    OOZE_OUTLINE_RECTANGLE = 1
    # `points` tips at `radius`, corners between them at `inner_radius`
    OOZE_OUTLINE_STAR = 2
    # cross-section of `shape` with the plane of the nozzle's exit
    OOZE_OUTLINE_SHAPE = 3
    OOZE_OUTLINE_COUNT = 4


@structure
class OozeEmitterDef(Structure):
    """A nozzle that emits a jet of particles."""
    name: bytes | None = member(c_char_p)
    material: OozeMaterialId = member(OozeMaterialId)
    outline: int = enumerated(OozeOutline, c_int,
        "of the nozzle's opening; uses some of the next five members")
    radius: float = member(c_double, "m")
    inner_radius: float = member(c_double, "m")
    points: int = member(c_int)
    size: OozeVec3 = member(OozeVec3, "m")
    shape: OozeShapeDef = member(OozeShapeDef,
        "in world space, cut by the plane of the exit at time 0")
    position: OozeVec3 = member(OozeVec3, "m, centre of the exit")
    direction: OozeVec3 = member(OozeVec3, "of the jet; zero: down")
    roll: float = member(c_double, "deg, rotation of the outline about the direction")
    speed: float = member(c_double, "m/s, of the jet relative to the nozzle")
    length: float = member(c_double,
        "m upstream of the exit with prescribed velocity; NAN: kernel support")
    start: float = member(c_double, "s, the nozzle emits between these times")
    stop: float = member(c_double, "s, the nozzle emits between these times")
    limit: int = member(c_uint64, "total number of particles; 0: no limit")
    motion: OozeMotionDef = member(OozeMotionDef, "of the nozzle")
    temperature: float = member(c_double, "degC, of emitted particles; NAN: that of the air")


@structure
class OozeSinkDef(Structure):
    """A volume that removes particles."""
    name: bytes | None = member(c_char_p)
    shape: OozeShapeDef = member(OozeShapeDef,
        "particles inside are removed; if `inverted`, particles outside")
    start: float = member(c_double, "s, the sink acts between these times")
    stop: float = member(c_double, "s, the sink acts between these times")


@structure
class OozeHeatSourceDef(Structure):
    """A volume that heats particles."""
    name: bytes | None = member(c_char_p)
    shape: OozeShapeDef = member(OozeShapeDef)
    power: float = member(c_double, "W per m3 of fluid; negative: cools")
    temperature: float = member(c_double,
        "degC, fixed for all particles inside, instead of a power; NAN: none")
    start: float = member(c_double, "s, the source acts between these times")
    stop: float = member(c_double, "s, the source acts between these times")


class OozeChangeTarget(IntEnum):
    """The C enumeration OozeChangeTarget."""
    # `key`: a setting of the method
    OOZE_CHANGE_METHOD = 0
    # `key`: a number of a material
    OOZE_CHANGE_MATERIAL = 1
    # `key`: friction, restitution, stick_distance, stick_strength, collides, temperature,
    # conductivity, contact_angle; position.x, position.y or position.z, m: the solid leaves its
    # motion, moves there within the step or on the ramp, and rests
    OOZE_CHANGE_SOLID = 2
    # `key`: speed; position.x, position.y or position.z, m
    OOZE_CHANGE_EMITTER = 3
    # `key`: speed, force, low, high
    OOZE_CHANGE_JOINT = 4
    # `key`: gravity.x, gravity.y, gravity.z, air.temperature, air.transfer
    OOZE_CHANGE_WORLD = 5
    OOZE_CHANGE_TARGET_COUNT = 6


@structure
class OozeChangeDef(Structure):
    """A number that changes at a given time. Several changes of one number are its keyframes: a
    change that begins ends the one before it, finished or not.
    """
    target: int = enumerated(OozeChangeTarget, c_int)
    index: int = member(c_int32, "of the id of the material, solid, emitter or joint")
    key: bytes | None = member(c_char_p, "the number to change")
    value: float = member(c_double, "its new value")
    time: float = member(c_double, "s; acts from the first step that begins at this time or later")
    ramp: float = member(c_double,
        "s, duration of a linear ramp to `value`; 0, or where the old or new value is infinite"
        " or not given: at once")


@structure
class OozePushDef(Structure):
    """Velocity added at once to the particles near a point."""
    position: OozeVec3 = member(OozeVec3, "m")
    radius: float = member(c_double, "m; the velocity falls smoothly from the full one to 0 there")
    velocity: OozeVec3 = member(OozeVec3, "m/s, added in the middle")
    time: float = member(c_double, "s; acts in the first step that begins at this time or later")


class OozeProbeKind(IntEnum):
    """The C enumeration OozeProbeKind."""
    # number of particles
    OOZE_PROBE_COUNT = 0
    # centre of mass, m
    OOZE_PROBE_CENTRE = 1
    # kg m/s
    OOZE_PROBE_MOMENTUM = 2
    # about `point`, kg m2/s
    OOZE_PROBE_ANGULAR_MOMENTUM = 3
    # kinetic and potential (height above `point`), J
    OOZE_PROBE_ENERGY = 4
    # percentile of height above `point`, m
    OOZE_PROBE_HEIGHT = 5
    # percentile of distance from the `axis` through `point`, m
    OOZE_PROBE_SPREAD = 6
    # relative to rest: mean, mean absolute error, largest excess
    OOZE_PROBE_DENSITY = 7
    # connected components: number, share of the largest
    OOZE_PROBE_COMPONENTS = 8
    # RMS distance from the best rigid fit to the initial positions, m
    OOZE_PROBE_DRIFT = 9
    # velocity along the line from `point` to `end` in `bins` bins, m/s
    OOZE_PROBE_PROFILE = 10
    # unwrapped angle of the contact centroid about `axis`, turns
    OOZE_PROBE_AZIMUTH = 11
    # residual, iterations and density errors of steps
    OOZE_PROBE_SOLVER = 12
    # temperatures, and heat above 0 degC, J
    OOZE_PROBE_HEAT = 13
    # pose, momentum, and force of the particles on one solid
    OOZE_PROBE_SOLID = 14
    # fluid drawn out between two ends: lengths, radii, break
    OOZE_PROBE_THREAD = 15
    OOZE_PROBE_KIND_COUNT = 16


@structure
class OozeProbeDef(Structure):
    """The C structure OozeProbeDef."""
    name: bytes | None = member(c_char_p)
    kind: int = enumerated(OozeProbeKind, c_int)
    material: OozeMaterialId = member(OozeMaterialId, "index -1: all materials")
    every_step: bool = member(c_bool, "measured every step; false: every frame")
    percentile: float = member(c_double, "0 to 100; NAN: 99 for height, 95 for spread")
    point: OozeVec3 = member(OozeVec3, "m; axis zero: the world's up")
    end: OozeVec3 = member(OozeVec3, "m; axis zero: the world's up")
    axis: OozeVec3 = member(OozeVec3, "m; axis zero: the world's up")
    bins: int = member(c_int)
    width: float = member(c_double, "m, half width of a profile's line; 0: one support radius")
    link_length: float = member(c_double, "largest distance of connected particles, in spacings")
    contact: float = member(c_double,
        "largest distance from the plane of `point` (azimuth) or from an end (thread), in "
        "spacings")
    sinking: float = member(c_double,
        "azimuth: smallest speed against the axis of counted particles, m/s; 0: any")
    solid: bytes | None = member(c_char_p, "name of the solid of OOZE_PROBE_SOLID")
    lower: bytes | None = member(c_char_p,
        "thread: names of the solids at its ends; NULL or \"\": the heights `from` and `to` "
        "above `point` along the axis, m; NAN: the lowest and the highest particle")
    upper: bytes | None = member(c_char_p,
        "thread: names of the solids at its ends; NULL or \"\": the heights `from` and `to` "
        "above `point` along the axis, m; NAN: the lowest and the highest particle")
    from_: float = member(c_double)
    to: float = member(c_double)
    slice: float = member(c_double,
        "thread: thickness of the slices in which radii are measured, in spacings")
    margin: float = member(c_double,
        "thread: distance of the first and last slice from the ends, in spacings")


@structure
class OozeProbeReading(Structure):
    """The C structure OozeProbeReading."""
    name: bytes | None = member(c_char_p)
    every_step: bool = member(c_bool)
    column_count: int = member(c_int)
    columns: Any = member(POINTER(c_char_p), "names of the values: \"com.x\", ...")
    units: Any = member(POINTER(c_char_p))
    values: Any = member(POINTER(c_double), "of the last ooze_world_measure")


@structure
class OozeStageTime(Structure):
    """Wall-clock time of a stage of the steps."""
    name: bytes | None = member(c_char_p)
    seconds: float = member(c_double, "total since the world was created")


@structure
class OozeStagePartTime(Structure):
    """Time of a part of a stage. A part may run many times in a step, such as an iteration of a
    solver.
    """
    stage: bytes | None = member(c_char_p, "name of its stage")
    name: bytes | None = member(c_char_p)
    seconds: float = member(c_double, "total since the world was created")
    calls: int = member(c_uint64, "total since the world was created")
    launches: int = member(c_uint64,
        "On a GPU while the parts are timed (see ooze bench): kernels, copies and fills that "
        "the host launched, and its waits for results.")
    waits: int = member(c_uint64,
        "On a GPU while the parts are timed (see ooze bench): kernels, copies and fills that "
        "the host launched, and its waits for results.")


@structure
class OozeWorldStats(Structure):
    """The C structure OozeWorldStats."""
    particles: int = member(c_uint64, "present numbers")
    boundary_particles: int = member(c_uint64, "present numbers")
    emitted: int = member(c_uint64, "total numbers of particles, by emitters and sinks")
    removed: int = member(c_uint64, "total numbers of particles, by emitters and sinks")
    neighbour_pairs: int = member(c_uint64, "entries of the neighbour lists of the last step")
    boundary_pairs: int = member(c_uint64, "entries of these with boundary particles")
    memory_bytes: int = member(c_uint64, "host memory of the world")
    particle_bytes: int = member(c_uint64, "the part of it that grows with the number of particles")
    worst_density_error: float = member(c_double, "largest density above rest density, relative")
    mean_density_error: float = member(c_double)
    residual: float = member(c_double,
        "of the velocity solve at its end, relative to its beginning")
    iterations: int = member(c_int, "of the velocity solve")
    worst_residual: float = member(c_double, "Since the world was created.")
    unconverged_steps: int = member(c_uint64,
        "velocity solve ended at its iteration limit, above tolerance")
    substeps: int = member(c_int, "of the last step; 1: it was not divided")
    threads: int = member(c_int)
    device: bytes | None = member(c_char_p,
        "that computes the steps: \"cpu\" or \"cuda\"; chosen by the first step")
    device_bytes: int = member(c_uint64, "GPU memory of the world, not part of memory_bytes")
    device_free_bytes: int = member(c_uint64, "free GPU memory; 0: not known")
    stage_count: int = member(c_int)
    stages: Any = member(POINTER(OozeStageTime))
    part_count: int = member(c_int)
    parts: Any = member(POINTER(OozeStagePartTime),
        "in the order of a step, with parts that never ran")
