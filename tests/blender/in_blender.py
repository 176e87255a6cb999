"""Runs inside Blender: installs the zip of the add-on and runs the cases."""
import os
import pathlib
import sys
import unittest

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
FOLDER = pathlib.Path(os.environ["OOZE_TEST_FOLDER"])

bpy.ops.preferences.addon_install(filepath=str(FOLDER / "ooze.zip"))
bpy.ops.preferences.addon_enable(module="ooze")

suite = unittest.defaultTestLoader.loadTestsFromNames(
    ["import_cases", "job_cases", "export_cases", "panel_cases"])
done = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
sys.stdout.flush()
if not done.wasSuccessful() or done.testsRun < 20:
    sys.exit(1)
