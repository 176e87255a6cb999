"""Readers of run folders, pictures, plots, surfaces and the viewer."""
import re
import struct
import tempfile
import unittest
import urllib.error
import urllib.request
import zlib

from support import SCENE, PackageTest, ooze

import numpy

from ooze.picture import encode_png


def decode_png(data):
    """Pixels of an RGB file without filters, as encode_png writes it."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    rows = numpy.frombuffer(zlib.decompress(packed), dtype=numpy.uint8).reshape(height, -1)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:].reshape(height, width, 3)


class Files(PackageTest):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="ooze-python-")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.scene = ooze.Scene(SCENE)
        cls.run_folder = cls.scene.run(cls.scratch.name + "/run", threads=1)

    def test_frames(self):
        run = ooze.Run(self.run_folder.folder)
        self.assertEqual((len(run), len(run.frames)), (11, 11))
        first, last = run.frames[0], run.frames[-1]
        self.assertEqual((first.index, last.index, last.step), (0, 10, 100))
        self.assertAlmostEqual(last.time, 0.1)
        arrays = last.arrays()
        self.assertLessEqual({"position", "velocity", "id", "material"}, set(arrays))
        self.assertEqual(arrays["position"].shape, (last.particle_count, 3))
        self.assertEqual(len(numpy.unique(arrays["id"])), last.particle_count)
        self.assertEqual([frame.index for frame in list(run.frames)], list(range(11)))
        self.assertEqual([frame.index for frame in run.frames[2:4]], [2, 3])
        self.assertEqual(list(last.poses), ["floor", "paddle"])
        numpy.testing.assert_allclose(last.poses["paddle"].spin, [0, 300, 0])
        self.assertEqual(last.material_names, ("honey",))
        self.assertEqual(last.method, "ballistic")
        self.assertEqual(last.state()["materials"]["density"][0], 1400)
        view = run.frames[3].position  # the frame lives as long as its view
        self.assertEqual(view.sum(), run.frames[3].arrays()["position"].sum())
        try:
            import h5py
        except ImportError:
            return
        with h5py.File(last.path) as file:
            for name, values in arrays.items():
                numpy.testing.assert_array_equal(file["particles"][name][...], values)

    def test_tables(self):
        run = ooze.Run(self.run_folder.folder)
        table, steps = run.probes, run.probe_steps
        self.assertEqual((len(table), len(steps)), (11, 101))
        numpy.testing.assert_array_equal(table["step"], numpy.arange(0, 101, 10))
        self.assertEqual(table.dtype.metadata["units"]["all.y"], "m")
        numpy.testing.assert_allclose(table["all.y"][5], run.frames[5].position[:, 1].mean(),
                                      rtol=1e-5)
        numpy.testing.assert_array_equal(steps["energy.kinetic"][::10], table["energy.kinetic"])
        self.assertEqual(table["count.count"][-1], run.frames[-1].particle_count)
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaises(ImportError):
                run.dataframe()
            return
        self.assertEqual(run.dataframe()["all.y"].iloc[5], table["all.y"][5])

    def test_scene_of_a_run(self):
        scene = ooze.Run(self.run_folder.folder).scene
        self.assertEqual((scene.title, scene.frame_count, scene.steps_per_frame),
                         ("for Python", 10, 10))
        self.assertEqual(scene.yaml, self.scene.yaml)
        self.assertEqual(scene.world().hash(), ooze.Run(self.run_folder.folder).frames[0].hash())

    def test_checks(self):
        inside = {**SCENE, "fluids": [{"material": "honey", "shape": {
            "type": "box", "size": [0.4, 0.4, 0.4], "position": [0, 0, 0]}}]}
        with ooze.Scene(inside) as scene:
            self.assertEqual(scene.diagnostics, ())
            warnings = scene.check()
        self.assertTrue(any("inside solid 'floor'" in str(one) for one in warnings), warnings)
        self.assertEqual(warnings[0].severity, "warning")

    def test_overrides(self):
        dicts = ooze.Scene(SCENE, set={"materials.honey.drag": 0.5, "solids.floor.friction": 0.25,
                                       "solids.1.restitution": 0.5, "title": "other"})
        file = ooze.Scene(self.run_folder.folder / "scene.yaml",
                          set={"materials.honey.drag": 0.5, "solids.0.friction": 0.25,
                               "solids.1.restitution": 0.5, "title": "other"})
        self.assertEqual(dicts.yaml, file.yaml)
        world = dicts.world()
        self.assertEqual((world.material(0)["drag"], world.solid("floor")["friction"]), (0.5, 0.25))

    def test_pictures(self):
        pixels = numpy.random.default_rng(1).integers(0, 256, (13, 7, 3), dtype=numpy.uint8)
        numpy.testing.assert_array_equal(decode_png(encode_png(pixels)), pixels)
        if not ooze.features()["render"]:
            with self.assertRaises(ooze.UnsupportedError):
                self.run_folder.picture()
            return
        settings = {"size": (96, 64), "preview": True, "camera_position": [0, 1, 4],
                    "look_at": [0, 0.7, 0], "threads": 1}
        world = self.scene.world()
        first = world.picture(**settings)
        self.assertEqual(first.pixels.shape, (64, 96, 3))
        self.assertGreater(first.pixels.std(), 5)
        file = self.run_folder.picture(0, **settings)
        numpy.testing.assert_array_equal(first.pixels, file.pixels)
        later = self.run_folder.picture(-1, **settings)
        self.assertGreater((later.pixels != first.pixels).mean(), 0.02)
        first.save(self.folder / "a.png")
        numpy.testing.assert_array_equal(decode_png((self.folder / "a.png").read_bytes()),
                                         first.pixels)
        shown = decode_png(world._repr_png_())
        self.assertEqual(shown.shape, (400, 640, 3))
        with self.assertRaises(ooze.ArgumentError):
            world.picture(size=(0, 10))

    def test_plots(self):
        svg = self.run_folder.plot("all.y", title="Height")._repr_svg_()
        self.assertIn("<svg", svg)
        self.assertIn("Height", svg)
        x = numpy.linspace(1, 10, 20)
        plot = ooze.plot({"rate [1/s]": x, "stress [Pa]": x ** 2}, log="xy",
                         points={"rate [1/s]": [2, 3], "stress [Pa]": [4, 9]})
        self.assertIn("stress", plot.svg)
        plot.save(self.folder / "plot.svg")
        self.assertEqual((self.folder / "plot.svg").read_text(), plot.svg)
        with self.assertRaises(ooze.ArgumentError):
            ooze.plot({"x": [1, 2], "y": [1]})
        with self.assertRaises(ooze.ArgumentError):
            ooze.plot({"x,y": [1, 2], "y": [1, 2]})

    def test_surface(self):
        """The lattice fills a box of 0.4 m: its surface is near the box."""
        surface = self.run_folder.frames[0].surface(fields=["velocity"], threads=1)
        self.assertAlmostEqual(surface.volume, 0.064, delta=0.01)
        self.assertLess(surface.triangles.max(), len(surface.vertices))
        self.assertEqual(surface.fields["velocity"].shape, surface.vertices.shape)
        corners = surface.vertices[surface.triangles].astype(float)
        a, b, d = corners[:, 0], corners[:, 1], corners[:, 2]
        volume = (a * numpy.cross(b, d)).sum() / 6  # by the divergence theorem
        self.assertAlmostEqual(volume, surface.volume, places=6)
        numpy.testing.assert_allclose(surface.fields["velocity"].mean(axis=0), [0.4, -2, 0.1],
                                      atol=1e-5)

    def test_the_viewer_can_be_shown_in_a_frame(self):
        if not ooze.features()["view"]:
            self.skipTest("this build has no viewer")
        with self.scene.view(threads=1) as view:
            self.assertIn(f'<iframe src="{view.url}"', view._repr_html_())
            self.assertRegex(view.url, r"^http://127\.0\.0\.1:\d+/#[0-9a-f]{32}$")
            try:
                answer = urllib.request.urlopen(view.url, timeout=20)
            except urllib.error.HTTPError as missing:  # a build without the page
                self.assertEqual(missing.code, 404)
                return
            policy = answer.headers["content-security-policy"]
            self.assertTrue(re.search(r"frame-ancestors http://localhost:\*", policy), policy)
        with self.assertRaises(OSError):
            urllib.request.urlopen(view.url, timeout=5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
