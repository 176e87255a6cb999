"""Types: looks.

Written by tools/python_bindings.py from include/ooze/look.h; edit that.
"""
from __future__ import annotations

from ctypes import (Structure, c_bool, c_char_p, c_double, c_float, c_int)
from enum import IntEnum
from typing import Any
from ooze.c._support import enumerated, member, structure


class OozeLookKind(IntEnum):
    """The C enumeration OozeLookKind."""
    # a reflecting coat over a diffuse body
    OOZE_LOOK_OPAQUE = 0
    # coloured reflection
    OOZE_LOOK_METAL = 1
    # refraction, absorption in the volume, optional scattering
    OOZE_LOOK_CLEAR = 2
    # subsurface scattering
    OOZE_LOOK_TRANSLUCENT = 3
    OOZE_LOOK_KIND_COUNT = 4


class OozeTexture(IntEnum):
    """A pattern in the colour of a solid. Fluids have the plain colour."""
    OOZE_TEXTURE_NONE = 0
    # planks with annual rings
    OOZE_TEXTURE_WOOD = 1
    # veins
    OOZE_TEXTURE_MARBLE = 2
    # painted rings near the rim
    OOZE_TEXTURE_PLATE = 3
    # woven checks
    OOZE_TEXTURE_CLOTH = 4
    OOZE_TEXTURE_COUNT = 5


@structure
class OozeLookInfo(Structure):
    """One row of the table of named looks."""
    name: bytes | None = member(c_char_p)
    kind: int = enumerated(OozeLookKind, c_int)
    has_color: bool = member(c_bool, "false: the colour is that of the material or solid")
    color: Any = member(c_float * 3, "linear RGB")
    depth: float = member(c_double,
        "distance after which white light has the colour, over the fluid's extent")
    refraction: float = member(c_double, "refractive index of the body or of its coat")
    roughness: float = member(c_double, "0: a mirror, 1: diffuse")
    coat: float = member(c_double, "strength of the reflecting coat, 0 to 1")
    cloudiness: float = member(c_double, "mean number of scattering events per depth")
    translucency: float = member(c_double, "share of the light that enters a translucent body")
    help: bytes | None = member(c_char_p, "one line of description")
    texture: int = enumerated(OozeTexture, c_int)
    glow: float = member(c_double,
        "radiance of the red light that it emits at OOZE_GLOW_TEMPERATURE; white is 1")


@structure
class OozeLookDef(Structure):
    """A look: a row of the table, with modifications."""
    type: int = member(c_int, "index of the row")
    color: Any = member(c_float * 3, "linear RGB; NAN: that of the row")
    depth: float = member(c_double, "m; NAN: that of the row times the fluid's extent")
    refraction: float = member(c_double, "NAN: that of the row")
    roughness: float = member(c_double, "NAN: that of the row")
    coat: float = member(c_double, "NAN: that of the row")
    cloudiness: float = member(c_double, "NAN: that of the row")
    translucency: float = member(c_double, "NAN: that of the row")
    scale: float = member(c_double,
        "m, length of the texture's pattern; NAN: a share of what is in view")
    glow: float = member(c_double, "NAN: that of the row")
    glow_temperature: float = member(c_double,
        "degC at which `glow` is emitted; NAN: OOZE_GLOW_TEMPERATURE")
