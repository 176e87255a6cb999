"""Functions: status codes and error reports.

Written by tools/python_bindings.py from include/ooze/status.h; edit that.
"""
from __future__ import annotations

from ctypes import c_char_p, c_int
from ooze.c._support import bind, text_of


_ooze_status_name = bind("ooze_status_name", c_char_p, c_int)
def ooze_status_name(status: int) -> str | None:
    """Short English name of a status, such as "out of memory". Never NULL."""
    return text_of(_ooze_status_name(status))
