"""Types: value types of the public API.

Written by tools/python_bindings.py from include/ooze/types.h; edit that.
"""
from __future__ import annotations

from ctypes import (CFUNCTYPE, Structure, c_bool, c_char_p, c_double, c_int, c_int32, c_void_p)
from enum import IntEnum
from ooze.c._support import enumerated, member, structure


@structure
class OozeVec3(Structure):
    """The C structure OozeVec3."""
    x: float = member(c_double)
    y: float = member(c_double)
    z: float = member(c_double)


@structure
class OozeQuat(Structure):
    """Unit quaternion; identity is {0, 0, 0, 1}."""
    x: float = member(c_double)
    y: float = member(c_double)
    z: float = member(c_double)
    w: float = member(c_double)


class OozeAxis(IntEnum):
    """The C enumeration OozeAxis."""
    OOZE_AXIS_X = 0
    OOZE_AXIS_Y = 1
    OOZE_AXIS_Z = 2


@structure
class OozeMaterialId(Structure):
    """Handles of items of a world, valid for that world only. Indices start at 0, in the order in
    which items were added.
    """
    index: int = member(c_int32)


@structure
class OozeSolidId(Structure):
    """The C structure OozeSolidId."""
    index: int = member(c_int32)


@structure
class OozeJointId(Structure):
    """The C structure OozeJointId."""
    index: int = member(c_int32)


@structure
class OozeEmitterId(Structure):
    """The C structure OozeEmitterId."""
    index: int = member(c_int32)


@structure
class OozeProbeId(Structure):
    """The C structure OozeProbeId."""
    index: int = member(c_int32)


class OozeParamKind(IntEnum):
    """The C enumeration OozeParamKind."""
    OOZE_PARAM_REAL = 0
    OOZE_PARAM_INTEGER = 1
    # 0 or 1, written true or false in a scene
    OOZE_PARAM_SWITCH = 2
    # index into `choices`
    OOZE_PARAM_CHOICE = 3


@structure
class OozeParamInfo(Structure):
    """Describes a parameter: a number of a material, or a setting of a method."""
    key: bytes | None = member(c_char_p, "name in scenes and in calls: \"viscosity\"")
    kind: int = enumerated(OozeParamKind, c_int)
    unit: bytes | None = member(c_char_p, "\"Pa s\"; \"\": dimensionless")
    min: float = member(c_double, "valid range, ends included")
    max: float = member(c_double, "valid range, ends included")
    initial: float = member(c_double, "default; NAN: not given, the method derives it")
    choices: bytes | None = member(c_char_p,
        "\"paper|consistent|lodge\" for OOZE_PARAM_CHOICE, else NULL")
    help: bytes | None = member(c_char_p, "one line of description")


class OozeLogLevel(IntEnum):
    """The C enumeration OozeLogLevel."""
    OOZE_LOG_DEBUG = 0
    OOZE_LOG_INFO = 1
    OOZE_LOG_WARNING = 2


# Receives one line of the log, without a newline. It is called within calls of the world, on the
# thread of the caller.
OozeLogCallback = CFUNCTYPE(None, c_void_p, c_int, c_char_p)


# Called after each step of ooze_world_advance, with times in s; returning false stops there.
OozeProgressCallback = CFUNCTYPE(c_bool, c_void_p, c_double, c_double)


@structure
class OozeVersion(Structure):
    """The C structure OozeVersion."""
    major: int = member(c_int)
    minor: int = member(c_int)
    patch: int = member(c_int)
    text: bytes | None = member(c_char_p, "\"0.1.0\"")


@structure
class OozeFeature(Structure):
    """A library or optional component of this build: "hdf5", "cuda", "render", ..."""
    name: bytes | None = member(c_char_p)
    present: bool = member(c_bool)
    detail: bytes | None = member(c_char_p,
        "its version; if not present, how to add it to the build")


class OozeDevice(IntEnum):
    """The device that computes steps and surfaces."""
    # The GPU if the build and the computer have one and it supports the method with its settings;
    # else the processor. The environment variable OOZE_DEVICE, `cpu` or `cuda`, overrides this
    # choice.
    OOZE_DEVICE_AUTO = 0
    OOZE_DEVICE_CPU = 1
    # the GPU; an error if it cannot be used
    OOZE_DEVICE_CUDA = 2
    OOZE_DEVICE_COUNT = 3
