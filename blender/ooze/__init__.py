"""Ooze in Blender: shows runs as mesh sequences and particles, exports scenes, runs them."""
import importlib.util

import bpy

# Blender's own builds bring it; Debian's has that of the python3 which PATH finds first.
if importlib.util.find_spec("numpy") is None:
    raise ImportError("Ooze needs numpy, which Blender's Python does not find; install "
                      "python3-numpy and start Blender with that python3 first in PATH")

from . import jobs, operators, panel, properties, sequence

bl_info = {
    "name": "Ooze",
    "description": "Viscoelastic fluids: import runs, export scenes, simulate",
    "author": "The Ooze authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > Ooze",
    "doc_url": "",
    "category": "Physics",
}


def register():
    properties.register()
    for kind in operators.CLASSES + panel.CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.TOPBAR_MT_file_import.append(operators.draw_menu)
    sequence.register()


def unregister():
    jobs.unregister()
    sequence.unregister()
    bpy.types.TOPBAR_MT_file_import.remove(operators.draw_menu)
    for kind in reversed(operators.CLASSES + panel.CLASSES):
        bpy.utils.unregister_class(kind)
    properties.unregister()
