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


class OozeEnvironmentType(IntEnum):
    """Light from all around, which replaces the lights of the backdrop."""
    # none: the lights of the backdrop
    OOZE_ENVIRONMENT_BACKDROP = 0
    # soft boxes in a grey room
    OOZE_ENVIRONMENT_STUDIO = 1
    # sun and clear sky
    OOZE_ENVIRONMENT_SKY = 2
    # a window and a warm lamp
    OOZE_ENVIRONMENT_KITCHEN = 3
    OOZE_ENVIRONMENT_COUNT = 4


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
    f_number: float = member(c_double,
        "of a lens with an image of the size of 35 mm film; NAN: all is sharp")
    aperture: float = member(c_double,
        "m, diameter of the lens, instead of an f-number; NAN: all is sharp")
    focus_distance: float = member(c_double,
        "m, along the axis of the camera; NAN: to what is in focus")
    focus: bytes | None = member(c_char_p,
        "name of the material or solid in focus; NULL: the fluid")
    shutter: float = member(c_double,
        "share of the time between two frames that it is open; 0: no blur")
    size: OozeVec3 = member(OozeVec3, "pixels: x is the width, y the height")
    samples: int = member(c_int, "mean light paths per pixel, more where noise is; 0: 64")
    time_limit: float = member(c_double,
        "s per picture: paths are added until then; 0: `samples` decides")
    backdrop: int = enumerated(OozeBackdrop, c_int)
    environment: int = enumerated(OozeEnvironmentType, c_int)
    environment_rotation: float = member(c_double, "degrees about the axis up")
    environment_strength: float = member(c_double, "factor of its light")
    caustics: bool = member(c_bool, "light is focused by clear fluid and glass: photons")
    firefly_limit: float = member(c_double,
        "largest radiance that a path by chance brings; 0: none")
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
