"""`ooze new` and `ooze examples`: files that are complete, valid and never replaced unasked."""
import ctypes
import os
import pathlib
import re
import shutil
import unittest

import runs

TEMPLATES = sorted(path.stem for path in (runs.ROOT / "scenes/templates").glob("*.yaml"))
MODELINE = f"# yaml-language-server: $schema={(runs.ROOT / 'docs/scene.schema.json').as_uri()}\n"


class Library:
    """Reads scenes, which takes milliseconds."""

    def __init__(self):
        self.library = ctypes.CDLL(str(runs.BUILD / "libooze.so"))
        self.library.ooze_scene_canonical.restype = ctypes.c_char_p

    def canonical(self, path):
        """All values of a scene with checksums of its files, without the folders of these; None
        where the scene has errors."""
        scene, error = ctypes.c_void_p(), ctypes.create_string_buffer(1 << 16)
        status = self.library.ooze_scene_load(os.fsencode(path), None, 0, ctypes.byref(scene),
                                              error)
        text = None if status else self.library.ooze_scene_canonical(scene).decode()
        self.library.ooze_scene_free(scene)
        return text and re.sub(r"/[^ \n]*/", "/", text)


class NewTest(runs.RunTest):
    def test_list_has_every_template_with_its_title(self):
        said = self.good("new").stdout
        self.assertGreaterEqual(len(TEMPLATES), 6)
        for name in TEMPLATES:
            title = re.search(r"(?m)^title: (.*)$",
                              (runs.ROOT / f"scenes/templates/{name}.yaml").read_text())[1]
            self.assertRegex(said, rf"(?m)^{name} +{re.escape(title)}$")
        self.assertEqual(said.count("\n"), len(TEMPLATES))

    def test_written_scene_is_the_template_and_has_no_warning(self):
        for name in TEMPLATES:
            self.good("new", name, cwd=self.folder)
            text = (self.folder / f"{name}.yaml").read_text()
            self.assertEqual(text, MODELINE
                             + (runs.ROOT / f"scenes/templates/{name}.yaml").read_text())
            said = self.good("check", self.folder / f"{name}.yaml", "--json").stdout
            self.assertIn('"diagnostics": []', said)

    def test_templates_move(self):
        """Every one runs, coarse: particles come, or those that are there move."""
        for name in TEMPLATES:
            with self.subTest(name):
                path, run = self.folder / f"{name}.yaml", self.folder / name
                self.good("new", name, "-o", path)
                spacing = float(re.search(r"(?m)^spacing: (\S+)", path.read_text())[1])
                self.good("run", path, "-o", run, "-q", "--threads", 1, "--frames", 3,
                          "--set", f"spacing={2 * spacing}")
                self.assertEqual(len(runs.frame_files(run)), 4)
                self.assertNotEqual(self.hash_of(runs.frame_files(run)[0]), self.hash_of(run))

    def test_file_is_not_replaced_unasked(self):
        path = self.folder / "mine.yaml"
        path.write_text("mine\n")
        self.bad(1, "exists", "new", "pour", "-o", path)
        self.assertEqual(path.read_text(), "mine\n")
        self.good("new", "pour", "-o", path, "--force")
        self.assertTrue(path.read_text().startswith(MODELINE))
        self.bad(1, "nowhere", "new", "pour", "-o", self.folder / "nowhere/x.yaml")
        left = sorted(entry.name for entry in self.folder.iterdir())
        self.assertEqual(left, ["mine.yaml", "scene.yaml"])

    def test_output_to_stdout(self):
        said = self.good("new", "jelly", "-o", "-", cwd=self.folder).stdout
        self.assertEqual(said, MODELINE
                         + (runs.ROOT / "scenes/templates/jelly.yaml").read_text())
        self.assertFalse((self.folder / "jelly.yaml").exists())

    def test_command_elsewhere_writes_no_modeline(self):
        """Without the schema the scene begins with its own first line."""
        (self.folder / "bin").mkdir()
        command = shutil.copy(runs.OOZE, self.folder / "bin/ooze")
        done = runs.subprocess.run([command, "new", "pour", "-o", "-"], capture_output=True,
                                   text=True)
        self.assertEqual(done.stdout,
                         (runs.ROOT / "scenes/templates/pour.yaml").read_text())
        done = runs.subprocess.run([command, "examples"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--scenes DIR", done.stderr)


class ExamplesTest(runs.RunTest):
    def test_list_has_every_scene_with_its_title(self):
        library = Library()
        files = sorted((runs.ROOT / "scenes").rglob("*.yaml"))
        names = [str(path.relative_to(runs.ROOT / "scenes").with_suffix("")) for path in files]
        self.assertEqual(sorted(self.good("examples", "--names").stdout.split()), sorted(names))
        listed = self.good("examples").stdout.splitlines()
        scenes = [name for name, path in zip(names, files) if library.canonical(path)]
        self.assertGreater(len(scenes), 150)
        self.assertEqual(sorted(line.split()[0] for line in listed), sorted(scenes))
        self.assertIn("Honey coiling on toast", self.good("examples", "gallery").stdout)
        self.assertEqual(len(self.good("examples", "gallery").stdout.splitlines()),
                         sum(name.startswith("gallery/") for name in scenes))

    def test_copy_of_each_scene_has_the_same_values_and_files(self):
        """Canonical texts hold every value and a checksum of every file."""
        library = Library()
        for name in self.good("examples", "--names").stdout.split():
            with self.subTest(name):
                values = library.canonical(runs.ROOT / f"scenes/{name}.yaml")
                if values is None:
                    continue  # a file that others include
                folder = self.folder / name
                copied = self.good("examples", name, "-o", folder).stdout.split()
                path = folder / (pathlib.Path(name).name + ".yaml")
                self.assertEqual(copied[0], str(path))
                self.assertEqual(library.canonical(path), values)
                self.assertEqual(sorted(map(pathlib.Path, copied)),
                                 sorted(p for p in folder.rglob("*") if p.is_file()))
                self.assertNotIn("../", re.sub(r"(?m)#.*", "", path.read_text()))

    def test_scenes_that_share_meshes_go_to_one_folder(self):
        self.good("examples", "live/ice_cream", cwd=self.folder)
        self.good("examples", "live/hand_and_bowl", cwd=self.folder)
        self.good("examples", "barreiro2017/hand_and_bowl_small", "-o", "more", cwd=self.folder)
        meshes = sorted(path.name for path in (self.folder / "meshes").iterdir())
        self.assertEqual(meshes, ["bowl.obj", "cone.obj", "hand.obj", "holder.obj"])
        self.assertTrue((self.folder / "more/hand_and_bowl.yaml").exists())

    def test_files_are_not_replaced_unasked(self):
        (self.folder / "meshes").mkdir()
        mesh = self.folder / "meshes/dipper.obj"
        mesh.write_text("mine\n")
        self.bad(1, "another file", "examples", "honey_toast", cwd=self.folder)
        self.assertEqual(sorted(path.name for path in self.folder.rglob("*")),
                         ["dipper.obj", "meshes", "scene.yaml"])
        self.assertEqual(mesh.read_text(), "mine\n")
        self.good("examples", "honey_toast", "--force", cwd=self.folder)
        self.assertEqual(mesh.read_bytes(),
                         (runs.ROOT / "scenes/gallery/meshes/dipper.obj").read_bytes())

    def test_names(self):
        self.bad(2, "did you mean 'honey_toast'", "examples", "honey_tost")
        self.bad(2, "several scenes 'drop'", "examples", "drop")
        self.bad(1, "no scenes", "examples", "--scenes", self.folder / "empty")


if __name__ == "__main__":
    unittest.main()
