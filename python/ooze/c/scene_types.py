"""Types: scene files.

Written by tools/python_bindings.py from include/ooze/scene.h; edit that.
"""
from __future__ import annotations

from ctypes import (Structure, c_bool, c_char_p, c_double, c_int, c_uint64, c_void_p)
from enum import IntEnum
from typing import Any
from ooze.c._support import enumerated, member, structure
from ooze.c.types_types import OozeDevice, OozeLogCallback
from ooze.c.world_types import OozeWorldDef


class OozeScene(Structure):
    """An object of the library: OozeScene."""


class OozeSeverity(IntEnum):
    """The C enumeration OozeSeverity."""
    OOZE_SEVERITY_ERROR = 0
    OOZE_SEVERITY_WARNING = 1


@structure
class OozeDiagnostic(Structure):
    """The C structure OozeDiagnostic."""
    severity: int = enumerated(OozeSeverity, c_int)
    file: bytes | None = member(c_char_p, "path, or \"--set\" for an override")
    line: int = member(c_int, "from 1; line 0: the whole file")
    column: int = member(c_int, "from 1; line 0: the whole file")
    message: bytes | None = member(c_char_p)
    hint: bytes | None = member(c_char_p,
        "a suggestion, such as \"did you mean 'radius'?\", or \"\"")
    source: bytes | None = member(c_char_p, "text of the line, or \"\"")


@structure
class OozeSceneInfo(Structure):
    """Length and frames of a run."""
    title: bytes | None = member(c_char_p)
    duration: float = member(c_double, "s")
    frame_rate: float = member(c_double, "frames per simulated second")
    frame_count: int = member(c_uint64, "without the initial frame 0")
    steps_per_frame: int = member(c_uint64)
    time_step: float = member(c_double, "s; shortened to make steps_per_frame a whole number")


@structure
class OozeBuildOptions(Structure):
    """See the members of OozeWorldDef with these names."""
    threads: int = member(c_int)
    device: int = enumerated(OozeDevice, c_int)
    log: Any = member(OozeLogCallback)
    log_user: Any = member(c_void_p)
    to_be_restored: bool = member(c_bool,
        "A frame of the scene will be restored: no fluid is filled, apart from particle "
        "bodies.")


@structure
class OozeSceneChangeText(Structure):
    """Changes a world built from the scene while it runs: one row of the scene's `changes`, as
    text. With the same row in the scene, a new run reaches the same state. The change acts from
    the first step that begins at `time` or later, on a ramp of `ramp` seconds. A value that the
    steps would refuse is refused here. The scene itself stays as it is. Scene and world may be
    used by one thread at a time.
    """
    set: bytes | None = member(c_char_p,
        "\"materials.honey.viscosity\", \"solids.bowl.position.x\", \"gravity.y\"")
    to: bytes | None = member(c_char_p)
    time: float = member(c_double, "s")
    ramp: float = member(c_double, "s")
