"""Functions: surface reconstruction.

Written by tools/python_bindings.py from include/ooze/surface.h; edit that.
"""
from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_int
from typing import Any
from ooze.c._support import bind, check, text_of
from ooze.c.status_types import OozeError
from ooze.c.frame_types import OozeFrame
from ooze.c.surface_types import OozeSurface, OozeSurfaceSettings


_ooze_surface_method_name = bind("ooze_surface_method_name", c_char_p, c_int)
def ooze_surface_method_name(method: int) -> str | None:
    """"anisotropic", ...; NULL past the last."""
    return text_of(_ooze_surface_method_name(method))


_ooze_surface_default = bind("ooze_surface_default", OozeSurfaceSettings)
def ooze_surface_default() -> OozeSurfaceSettings:
    """The default values of OozeSurfaceSettings."""
    return _ooze_surface_default()


_ooze_surface_build = bind("ooze_surface_build", c_int, POINTER(OozeFrame),
                           POINTER(OozeSurfaceSettings), c_int, POINTER(POINTER(OozeSurface)),
                           POINTER(OozeError))
def ooze_surface_build(frame: OozeFrame | Any, settings: OozeSurfaceSettings | Any,
                       threads: int) -> Any:
    """`threads` 0: one per core. The mesh does not depend on the number of threads."""
    surface = POINTER(OozeSurface)()
    check(_ooze_surface_build, frame, settings, threads, byref(surface), outputs=(surface,))
    return surface


_ooze_surface_free = bind("ooze_surface_free", None, POINTER(OozeSurface))
def ooze_surface_free(surface: OozeSurface | Any) -> None:
    """Frees the surface."""
    _ooze_surface_free(surface)
