"""Ooze in Blender: shows runs as mesh sequences and particles, exports scenes, runs them."""
import bpy

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
