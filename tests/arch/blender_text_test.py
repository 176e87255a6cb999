"""Scene texts of the Blender add-on, without Blender: what `ooze` reads in them."""
import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OOZE = pathlib.Path(os.environ["OOZE_BUILD_DIR"]).resolve() / "ooze"


def load(name):
    """A module of the add-on that needs no Blender, by its file: the package itself does."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "blender/ooze" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


scene_text = load("scene_text")


class SceneText(unittest.TestCase):
    def checked(self, entries):
        with tempfile.TemporaryDirectory(prefix="ooze-blender-") as folder:
            path = pathlib.Path(folder) / "scene.yaml"
            path.write_text(scene_text.write(entries), encoding="utf-8")
            done = subprocess.run([OOZE, "check", path, "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def scene(self, **keys):
        return {"ooze": 2, "method": {"name": "ballistic"}, "spacing": 0.02, "time_step": 1 / 240,
                **keys, "materials": {"water": {"preset": "water"}},
                "fluids": [{"material": "water",
                            "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}}]}

    def test_last_frame_is_within_the_duration(self):
        for frames in (1, 7, 11, 250, 1001, 86399):
            for fps, base in ((24, 1), (30, 1), (60, 1), (24, 1.0010000467300415), (25, 1.5)):
                with self.subTest(frames=frames, fps=fps, base=base):
                    found = self.checked(self.scene(**scene_text.times(frames, fps, base)))
                    self.assertEqual(found["frames"], frames)
                    self.assertNotIn("duration", str(found["diagnostics"]))

    def test_times_are_exact(self):
        self.assertEqual(scene_text.write(scene_text.times(11, 24, 1.0)),
                         "duration: 11/24\nframe_rate: 24\n")
        ntsc = scene_text.times(11, 24, 1.0010000467300415)  # the nearest that Blender holds
        self.assertEqual(scene_text.write(ntsc), "duration: 11*1.001/24\nframe_rate: 24/1.001\n")


if __name__ == "__main__":
    unittest.main()
