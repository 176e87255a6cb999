"""Types: pictures of frames.

Written by tools/python_bindings.py from include/ooze/render.h; edit that.
"""
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int,
                    c_uint64, c_void_p)
from enum import IntEnum
from typing import Any
from ooze.c._support import enumerated, member, structure
from ooze.c.types_types import OozeVec3


class OozeBackdrop(IntEnum):
    """The C enumeration OozeBackdrop."""
    # plain ground that fades into a light wall, three area lights
    OOZE_BACKDROP_STUDIO = 0
    # the studio with a grid of lines on the ground
    OOZE_BACKDROP_GRID = 1
    # sky and sun
    OOZE_BACKDROP_SKY = 2
    OOZE_BACKDROP_COUNT = 3


@structure
class OozeLightDef(Structure):
    """A square area light."""
    position: OozeVec3 = member(OozeVec3, "m, of its centre")
    target: OozeVec3 = member(OozeVec3, "m, a point on its axis")
    size: float = member(c_double, "m, edge length")
    color: Any = member(c_float * 3, "linear RGB")
    strength: float = member(c_double, "radiance of a white surface at the target that faces it")


@structure
class OozeRenderDef(Structure):
    """NAN values are derived from the frames given to ooze_renderer_survey."""
    camera_position: OozeVec3 = member(OozeVec3, "m; NAN: automatic")
    look_at: OozeVec3 = member(OozeVec3, "m; NAN: the centre of the bounds of all surveyed frames")
    field_of_view: float = member(c_double, "degrees, vertical")
    view_low: OozeVec3 = member(OozeVec3,
        "m; the box in view where the camera has no position; NAN: it holds 99.5% of the "
        "particles of every surveyed frame")
    view_high: OozeVec3 = member(OozeVec3,
        "m; the box in view where the camera has no position; NAN: it holds 99.5% of the "
        "particles of every surveyed frame")
    follow: bytes | None = member(c_char_p,
        "name of the material that the camera moves with; NULL: none")
    size: OozeVec3 = member(OozeVec3, "pixels: x is the width, y the height")
    samples: int = member(c_int, "light paths per pixel")
    backdrop: int = enumerated(OozeBackdrop, c_int)
    exposure: float = member(c_double, "stops: 1 doubles the light")
    denoise: bool = member(c_bool, "smooths the remaining noise, but not across edges")
    color_by: bytes | None = member(c_char_p,
        "name of a particle field, or \"speed\"; NULL: the looks")
    color_low: float = member(c_double, "ends of the colour map; NAN: the range over all frames")
    color_high: float = member(c_double, "ends of the colour map; NAN: the range over all frames")
    lights: Any = member(POINTER(OozeLightDef),
        "replace the lights of the backdrop, if there are any")
    light_count: int = member(c_int, "at most 64")
    particles: bool = member(c_bool, "particles as spheres instead of the surface")
    preview: bool = member(c_bool, "particles as spheres in direct light only: fast")
    seed: int = member(c_uint64, "of the random samples")
    threads: int = member(c_int, "0: one per core")


class OozeRenderer(Structure):
    """An object of the library: OozeRenderer."""


# Called repeatedly with the finished share, 0 to 1; returning false stops the rendering with
# OOZE_ERROR_CANCELLED.
OozeRenderProgress = CFUNCTYPE(c_bool, c_void_p, c_double)
