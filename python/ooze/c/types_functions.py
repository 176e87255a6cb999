"""Functions: value types of the public API.

Written by tools/python_bindings.py from include/ooze/types.h; edit that.
"""
from __future__ import annotations

from ctypes import POINTER, byref, c_int
from ooze.c._support import bind
from ooze.c.types_types import OozeFeature, OozeVersion


_ooze_version = bind("ooze_version", OozeVersion)
def ooze_version() -> OozeVersion:
    """Version."""
    return _ooze_version()


_ooze_features = bind("ooze_features", POINTER(OozeFeature), POINTER(c_int))
def ooze_features() -> list[OozeFeature]:
    """All of them; `*count` is its length."""
    count = c_int()
    items = _ooze_features(byref(count))
    return [items[i] for i in range(count.value)]
