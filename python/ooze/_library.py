"""Finds the shared library and the command."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import shutil

PACKAGE = pathlib.Path(__file__).resolve().parent
#: Where a wheel holds both files.
BUNDLED = PACKAGE / "lib"
#: Where a source tree holds them after `make`.
BUILD = PACKAGE.parent.parent / "build"


def library_paths() -> list[str]:
    """Places of the library, the preferred one first."""
    chosen = os.environ.get("OOZE_LIBRARY")
    if chosen:
        return [chosen]
    places = [BUNDLED / "libooze.so", BUILD / "libooze.so"]
    found = [str(place) for place in places if place.exists()]
    installed = ctypes.util.find_library("ooze")
    return found + ([installed] if installed else ["libooze.so.0"])


def load() -> ctypes.CDLL:
    """Loads the library; ImportError says what to do where there is none."""
    failures = []
    for path in library_paths():
        try:
            return ctypes.CDLL(path)
        except OSError as failure:
            failures.append(str(failure))
    raise ImportError("the library of Ooze cannot be loaded: " + "; ".join(failures) +
                      "\nhint: run `make` in the source tree, install the wheel of `make python`, "
                      "or set OOZE_LIBRARY to the path of libooze.so")


def command_path() -> str | None:
    """The command `ooze`: OOZE_COMMAND, that of the package, of the source tree, or of PATH."""
    chosen = os.environ.get("OOZE_COMMAND")
    if chosen:
        return chosen
    for place in (BUNDLED / "ooze", BUILD / "ooze"):
        if os.access(place, os.X_OK) and place.is_file():
            return str(place)
    return shutil.which("ooze")
