"""The gallery: every scene is sound, known to the tool, and shown on the page with a picture of
modest size."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OOZE = pathlib.Path(os.environ["OOZE_BUILD_DIR"]) / "ooze"
sys.path.insert(0, str(ROOT / "tools"))
import barreiro_meshes  # noqa: E402
import gallery  # noqa: E402
import gallery_meshes  # noqa: E402

# First bytes and largest size of pictures: those of scenes drawn at 1920x1080 are JPEG.
KINDS = {".jpg": (b"\xff\xd8", gallery.BYTES_MAX), ".png": (b"\x89PNG", 400_000)}
NAMES = [name for name, *_ in gallery.SCENES]


class GalleryTest(unittest.TestCase):
    def test_every_scene_is_in_the_list(self):
        self.assertEqual(sorted(NAMES), sorted(path.stem
                                               for path in (ROOT
                                                            / "scenes/gallery").glob("*.yaml")))

    def test_scenes_are_sound(self):
        for name, frame, *_ in gallery.SCENES:
            done = subprocess.run([OOZE, "check", ROOT / f"scenes/gallery/{name}.yaml"],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            frames = re.search(r"frames 0 to (\d+)", done.stdout)
            self.assertLessEqual(frame, int(frames.group(1)),
                                 f"{name}: the picture's frame is beyond the run")

    def test_page_shows_all(self):
        page = (gallery.DOCS / "README.md").read_text()
        shown = json.loads((gallery.DOCS / "facts.json").read_text())
        self.assertLessEqual(set(shown), set(NAMES))
        for name in shown:
            pictures = [path for path in gallery.IMAGES.glob(f"{name}.*") if path.suffix in KINDS]
            self.assertEqual(len(pictures), 1, name)
            picture = pictures[0]
            self.assertIn(f"(../images/gallery/{picture.name})", page)
            self.assertIn(f"scenes/gallery/{name}.yaml", page)
            first, most = KINDS[picture.suffix]
            self.assertTrue(picture.read_bytes().startswith(first), name)
            self.assertLessEqual(picture.stat().st_size, most, name)

    def test_films_are_of_small_variants(self):
        names = [name for name, *_ in gallery.FILMS]
        self.assertEqual(len(set(names)), len(names))
        for name, scene, *_ in gallery.FILMS:
            self.assertTrue(scene.endswith("_small"), name)
            self.assertTrue((ROOT / f"scenes/barreiro2017/{scene}.yaml").exists(), name)

    def test_page_of_the_paper_shows_films(self):
        """Films that were made are moving pictures of modest size, and the page shows them all."""
        made = sorted(path.stem for path in gallery.FILMS_AT.glob("*.webp"))
        page = (ROOT / "docs/barreiro2017.md").read_text()
        self.assertEqual(made,
                         sorted(re.findall(r"\(images/barreiro2017/(\w+)\.webp\)", page)))
        self.assertLessEqual(set(made), {name for name, *_ in gallery.FILMS})
        for name in made:
            data = (gallery.FILMS_AT / f"{name}.webp").read_bytes()
            self.assertEqual((data[:4], data[8:12]), (b"RIFF", b"WEBP"), name)
            self.assertGreaterEqual(data.count(b"ANMF"), 20, f"{name}: pictures")
            self.assertLessEqual(len(data), gallery.FILM_BYTES_MAX, name)

    def test_meshes_are_those_of_the_tools(self):
        """Written anew elsewhere, to the last digit: a mesh is never edited by hand."""
        for tool in (gallery_meshes, barreiro_meshes):
            committed = tool.FOLDER
            with tempfile.TemporaryDirectory() as scratch:
                tool.FOLDER = pathlib.Path(scratch)
                tool.write_all()
                written = sorted(path.name for path in pathlib.Path(scratch).iterdir())
                self.assertEqual(written, sorted(path.name for path in committed.iterdir()))
                for name in written:
                    self.assertEqual((pathlib.Path(scratch) / name).read_bytes(),
                                     (committed / name).read_bytes(), name)

    def test_meshes_of_figures_are_closed(self):
        """Every edge is shared by two triangles that run along it in opposite directions."""
        for path in barreiro_meshes.FOLDER.glob("*.obj"):
            edges = collections.Counter()
            for line in path.read_text().splitlines():
                if line.startswith("f "):
                    a, b, c = line.split()[1:]
                    edges.update(((a, b), (b, c), (c, a)))
            self.assertGreater(len(edges), 1000, path.name)
            self.assertTrue(all(n == 1 and edges[edge[::-1]] == 1 for edge, n in edges.items()),
                            path.name)


if __name__ == "__main__":
    unittest.main()
