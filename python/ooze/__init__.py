"""Ooze: particle-based viscoelastic fluids.

    import ooze
    scene = ooze.Scene("honey.yaml")
    world = scene.world()
    world.run(until=1.0)
    print(world.position.mean(axis=0), world.hash())

See docs/python.md. `ooze.c` is the whole C API.
"""
from ooze import c
from ooze.command import Plot, View, command, fit_rheometer, measure_rheometer, plot
from ooze.errors import (ArgumentError, CancelledError, ClosedError, CommandError, Error, FileError,
                         FormatError, LimitError, NumericError, OutOfMemoryError, SceneError,
                         StaleViewError, UnsupportedError, WriteError)
from ooze.fields import FieldView
from ooze.frame import Frame, Pose
from ooze.info import looks, material_numbers, methods, features, presets, version
from ooze.items import Emitter, Joint, Material, Probe, Solid
from ooze.picture import Picture
from ooze.run import Run
from ooze.scene import Diagnostic, Scene, reference, schema
from ooze.surface import Surface
from ooze.world import World

__version__ = version()
if __version__ != c.VERSION:
    raise ImportError(f"the library is of version {__version__}, the Python package of "
                      f"{c.VERSION}; use those of one build (OOZE_LIBRARY names the library)")

__all__ = ["ArgumentError", "CancelledError", "ClosedError", "CommandError", "Diagnostic",
           "Emitter", "Error", "FieldView", "FileError", "FormatError", "Frame", "Joint",
           "LimitError", "Material", "NumericError", "OutOfMemoryError", "Picture", "Plot", "Pose",
           "Probe", "Run", "Scene", "SceneError", "Solid", "StaleViewError", "Surface",
           "UnsupportedError", "View", "World", "WriteError", "c", "command", "fit_rheometer",
           "looks", "material_numbers", "measure_rheometer", "methods", "features", "plot",
           "presets", "reference", "schema", "version"]
