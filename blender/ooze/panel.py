"""The panels of the sidebar, and the preferences."""
import bpy
from bpy.props import StringProperty

from . import sequence


class OozePreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    executable: StringProperty(name="Command ooze", subtype="FILE_PATH",
                               description="Path of the command; empty: found by its name")

    def draw(self, _context):
        self.layout.prop(self, "executable")


class SidebarPanel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Ooze"


class OOZE_PT_run(SidebarPanel, bpy.types.Panel):
    bl_label = "Ooze"

    def draw(self, context):
        layout, settings = self.layout, context.scene.ooze
        state = context.window_manager.ooze_state
        column = layout.column(align=True)
        for name in ("scene_file", "run", "spacing", "method", "time_step", "threads", "include"):
            column.prop(settings, name)
        if state.running:
            layout.prop(state, "fraction", text=state.text, slider=True)
            layout.operator("ooze.cancel", icon="CANCEL")
        else:
            row = layout.row(align=True)
            row.operator("ooze.export_scene", icon="EXPORT")
            row.operator("ooze.run", icon="PLAY")
        text = state.text if not state.running else ""
        failed = state.failed
        if sequence.messages:
            text, failed = sequence.messages[-1], True
        if text:
            draw_text(layout, text, "ERROR" if failed else "INFO")


class OOZE_PT_import(SidebarPanel, bpy.types.Panel):
    bl_label = "Show a run"
    bl_parent_id = "OOZE_PT_run"

    def draw(self, context):
        settings = context.scene.ooze
        column = self.layout.column(align=True)
        for name in ("surface", "points", "instances", "solids", "start", "fit_range"):
            column.prop(settings, name)
        row = self.layout.row(align=True)
        row.enabled = not context.window_manager.ooze_state.running
        row.operator("ooze.import_run", icon="IMPORT")
        row.operator("ooze.reload", icon="FILE_REFRESH")


class OOZE_PT_role(SidebarPanel, bpy.types.Panel):
    bl_label = "Role of the object"
    bl_parent_id = "OOZE_PT_run"

    SHOWN = {"FLUID": ("body", "velocity", "heated"),
             "SOLID": ("plane", "no_slip", "friction", "solid_density", "heated"),
             "EMITTER": ("outline", "radius", "size", "speed", "start", "stop", "heated"),
             "SINK": ("start", "stop")}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.ooze_cache.kind == "NONE"

    def draw(self, context):
        role = context.object.ooze_role
        column = self.layout.column(align=True)
        column.prop(role, "role")
        if role.role in ("FLUID", "EMITTER"):
            column.prop(role, "preset")
            if role.preset == "CUSTOM":
                for name in ("density", "viscosity", "modulus", "color"):
                    column.prop(role, name)
        for name in self.SHOWN.get(role.role, ()):
            unused = (name == "radius" and role.outline != "disc") or \
                (name == "size" and role.outline != "rectangle") or \
                (name == "friction" and role.no_slip)
            if not unused:
                column.prop(role, name)
            if name == "heated" and role.heated:
                column.prop(role, "temperature")


def draw_text(layout, text, icon):
    """A sentence in lines that fit the sidebar."""
    words, line, first = text.split(), "", True
    for word in [*words, None]:
        if word is not None and len(line) + len(word) < 38:
            line += f" {word}"
            continue
        layout.label(text=line.strip(), icon=icon if first else "BLANK1")
        line, first = word or "", False


CLASSES = (OozePreferences, OOZE_PT_run, OOZE_PT_import, OOZE_PT_role)
