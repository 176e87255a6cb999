"""Types: status codes and error reports.

Written by tools/python_bindings.py from include/ooze/status.h; edit that.
"""
from __future__ import annotations

from ctypes import Structure, c_char, c_int
from enum import IntEnum
from typing import Any
from ooze.c._support import enumerated, member, structure


class OozeStatus(IntEnum):
    """Result of a call. OOZE_OK is zero, so that `if (status)` tests for failure."""
    OOZE_OK = 0
    # an argument is invalid
    OOZE_ERROR_ARGUMENT = 1
    # an allocation failed
    OOZE_ERROR_MEMORY = 2
    # a file cannot be opened, read or found
    OOZE_ERROR_FILE = 3
    # a file cannot be written: full disk, read-only folder
    OOZE_ERROR_WRITE = 4
    # a file was read, but its content is damaged or unknown
    OOZE_ERROR_FORMAT = 5
    # the scene has errors: see its diagnostics
    OOZE_ERROR_SCENE = 6
    # a limit of the library is exceeded
    OOZE_ERROR_LIMIT = 7
    # this build, computer or method does not support the request
    OOZE_ERROR_UNSUPPORTED = 8
    # the simulation diverged: a value is NaN or out of bounds
    OOZE_ERROR_NUMERIC = 9
    # a progress callback returned false
    OOZE_ERROR_CANCELLED = 10
    OOZE_STATUS_COUNT = 11


@structure
class OozeError(Structure):
    """Details of a failed call. Strings are always terminated. Calls accept NULL in its place."""
    status: int = enumerated(OozeStatus, c_int)
    message: Any = member(c_char * 1024, "the problem and its place")
    hint: Any = member(c_char * 512, "a suggestion how to solve it, or \"\"")
