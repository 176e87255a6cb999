"""Panels drawn into a layout that checks what it is given, as Blender without windows draws none:
each property, operator and icon exists."""
import types

import bpy

import ooze
from case import BlenderCase

ICONS = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys()


class Layout:
    """Records properties, operators and lines of text."""

    def __init__(self, drawn):
        self.drawn = drawn

    def row(self, align=False):
        return Layout(self.drawn)

    column = row

    def prop(self, data, name, text=None, slider=False):
        if name not in data.bl_rna.properties:
            raise AssertionError(f"{data} has no property {name}")
        self.drawn.append(name)

    def operator(self, name, icon="NONE", text=""):
        group, _, operator = name.partition(".")
        getattr(getattr(bpy.ops, group), operator).get_rna_type()
        self.icon(icon)
        self.drawn.append(name)

    def label(self, text="", icon="NONE"):
        self.icon(icon)
        self.drawn.append(text)

    def icon(self, name):
        if name not in ICONS:
            raise AssertionError(f"there is no icon {name}")


class Panels(BlenderCase):
    def draw(self, panel):
        drawn = []
        fake = types.SimpleNamespace(layout=Layout(drawn), SHOWN=getattr(panel, "SHOWN", None))
        panel.draw(fake, bpy.context)
        return drawn

    def test_main_panel_shows_settings_and_a_sentence(self):
        ooze.jobs.report("The command ooze is not found: set its path in the preferences.",
                         failed=True)
        drawn = self.draw(ooze.panel.OOZE_PT_run)
        self.assertIn("ooze.run", drawn)
        self.assertIn("spacing", drawn)
        text = " ".join(drawn[drawn.index("ooze.run") + 1:])
        self.assertEqual(text, self.state().text, "in lines, without a word lost")
        self.assertTrue(all(len(line) < 40 for line in drawn))

    def test_running_command_shows_progress_and_cancel(self):
        self.state().running = True
        self.addCleanup(setattr, self.state(), "running", False)
        drawn = self.draw(ooze.panel.OOZE_PT_run)
        self.assertIn("fraction", drawn)
        self.assertIn("ooze.cancel", drawn)
        self.assertNotIn("ooze.run", drawn)

    def test_import_panel(self):
        drawn = self.draw(ooze.panel.OOZE_PT_import)
        self.assertEqual(drawn[-2:], ["ooze.import_run", "ooze.reload"])

    def test_each_role_shows_its_properties(self):
        bpy.ops.mesh.primitive_cube_add()
        role = bpy.context.object.ooze_role
        self.assertTrue(ooze.panel.OOZE_PT_role.poll(bpy.context))
        shown = {}
        for name in ("NONE", "FLUID", "SOLID", "EMITTER", "SINK"):
            role.role, role.preset, role.heated = name, "CUSTOM", True
            shown[name] = self.draw(ooze.panel.OOZE_PT_role)
        self.assertEqual(shown["NONE"], ["role"])
        self.assertIn("viscosity", shown["FLUID"])
        self.assertIn("temperature", shown["SOLID"])
        self.assertIn("radius", shown["EMITTER"])
        self.assertNotIn("size", shown["EMITTER"])
