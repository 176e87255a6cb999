"""`ooze mesh`: formats, ranges, continuing after a kill, and runs that cannot be meshed."""
import re
import time
import unittest

import numpy

import runs

FORMATS = {"ply": ".ply", "obj": ".obj", "usda": ".usda"}
FRAMES = 6
PLY_TYPES = {"float": "<f4", "uchar": "u1", "uint": "<u4"}


def read_ply(path):
    """Vertices as a record array, triangles as rows."""
    data = path.read_bytes()
    head, _, body = data.partition(b"end_header\n")
    lines = head.decode().split("\n")
    counts = [int(n) for n in re.findall(r"element \w+ (\d+)", head.decode())]
    names = [(line.split()[2], PLY_TYPES[line.split()[1]]) for line in lines
             if line.startswith("property") and "list" not in line]
    vertices = numpy.frombuffer(body, dtype=names, count=counts[0])
    faces = numpy.frombuffer(body, dtype=[("n", "u1"), ("v", "<u4", 3)], count=counts[1],
                             offset=vertices.nbytes)
    if len(body) != vertices.nbytes + faces.nbytes or (faces["n"] != 3).any():
        raise ValueError(f"{path}: damaged")
    return vertices, faces["v"]


def read_obj(path):
    vertices, faces = [], []
    for line in path.read_text().split("\n"):
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            faces.append([int(word.split("//")[0]) - 1 for word in words[1:]])
    return numpy.array(vertices), numpy.array(faces)


def read_usda(path):
    text = path.read_text()
    points = re.search(r"point3f\[\] points\.timeSamples = \{\s*0: \[(.*?)\],\n", text,
                       re.S).group(1)
    faces = re.search(r"faceVertexIndices\.timeSamples = \{\s*0: \[(.*?)\],\n", text, re.S).group(1)
    numbers = re.findall(r"[-+\d.e]+", points)
    return (numpy.array(numbers, dtype=float).reshape(-1, 3),
            numpy.array([int(n) for n in faces.split(",")]).reshape(-1, 3))


class MeshTest(runs.RunTest):
    def short_run(self, scene=None):
        run = self.folder / "run"
        if scene:
            self.scene.write_text(scene)
        self.good("run", self.scene, "-o", run, "--frames", FRAMES, "--quiet")
        return run

    def check_closed(self, faces):
        """Every directed edge once, and its opposite too."""
        edges = numpy.concatenate([faces[:, [0, 1]], faces[:, [1, 2]],
                                   faces[:, [2, 0]]]).astype(numpy.int64)
        there = edges[:, 0] << 32 | edges[:, 1]
        back = edges[:, 1] << 32 | edges[:, 0]
        self.assertEqual(len(numpy.unique(there)), len(there))
        self.assertTrue(numpy.array_equal(numpy.sort(there), numpy.sort(back)))

    def test_formats_agree(self):
        run = self.short_run()
        for name, suffix in FORMATS.items():
            done = self.good("mesh", run, "--format", name, "--frames", "3:", "-o",
                             self.folder / name)
            self.assertIn("4 meshes in", done.stdout)
            self.assertEqual(list((self.folder / name).glob("*.part")), [])
        vertices, faces = read_ply(self.folder / "ply/frame_000005.ply")
        self.check_closed(faces)
        places = numpy.stack([vertices["x"], vertices["y"], vertices["z"]], axis=1)
        for read, name in ((read_obj, "obj"), (read_usda, "usda")):
            other, other_faces = read(self.folder / name / ("frame_000005" + FORMATS[name]))
            self.assertTrue(numpy.array_equal(faces, other_faces), name)
            self.assertTrue(numpy.array_equal(places, other.astype(numpy.float32)), name)
        stage = (self.folder / "usda/run.usda").read_text()
        for number in range(3, 7):
            self.assertIn(f"@./frame_{number:06d}.usda@", stage)

    def test_carries_velocity_colour_and_fields(self):
        run = self.short_run()
        self.good("mesh", run, "--frames", 2, "--fields", "velocity,material")
        vertices, _ = read_ply(run / "surface/frame_000002.ply")
        self.assertTrue(numpy.array_equal(vertices["vy"], vertices["field_velocity_y"]))
        self.assertLess(vertices["vy"].min(), -1.0)
        self.assertEqual(set(vertices["material"]), {0, 1})
        done = self.bad(1, "no field 'velocty'", "mesh", run, "--fields", "velocty")
        self.assertIn("did you mean 'velocity'?", done.stderr)

    def test_same_files_for_any_number_of_threads(self):
        run = self.short_run()
        for threads in (1, 2, 5):
            self.good("mesh", run, "--threads", threads, "-o", self.folder / str(threads),
                      "--frames", "5:6")
        for name in ("frame_000005.ply", "frame_000006.ply"):
            one = (self.folder / "1" / name).read_bytes()
            self.assertEqual(one, (self.folder / "2" / name).read_bytes())
            self.assertEqual(one, (self.folder / "5" / name).read_bytes())

    def test_finished_files_are_kept(self):
        run = self.short_run()
        self.good("mesh", run, "--frames", ":3")
        first = {path.name: path.stat().st_mtime_ns for path in (run / "surface").iterdir()}
        done = self.good("mesh", run)
        self.assertIn("7 meshes", done.stdout)
        self.assertIn("4 of them made before", done.stdout)
        for name, when in first.items():
            self.assertEqual((run / "surface" / name).stat().st_mtime_ns, when)
        self.assertIn("7 of them", self.good("mesh", run).stdout)
        # Other settings, or a frame that was simulated anew, make other files.
        self.assertNotIn("made before", self.good("mesh", run, "--cell", 0.7).stdout)
        self.assertNotIn("made before",
                         self.good("mesh", run, "--cell", 0.7, "--smoothing", 0).stdout)

    def test_kill_leaves_whole_files(self):
        run = self.short_run()
        started = time.monotonic()
        self.good("mesh", run, "-o", self.folder / "reference", "--cell", 0.25)
        whole = time.monotonic() - started
        out = self.folder / "out"
        for part in range(1, 8):
            process = runs.start("mesh", run, "-o", out, "--cell", 0.25, "--quiet")
            time.sleep(whole * part / 8)
            process.kill()
            process.communicate()
            for path in out.glob("frame_*.ply"):
                read_ply(path)
        self.good("mesh", run, "-o", out, "--cell", 0.25)
        for number in range(FRAMES + 1):
            name = f"frame_{number:06d}.ply"
            self.assertEqual((out / name).read_bytes(),
                             (self.folder / "reference" / name).read_bytes())

    def test_damaged_and_missing_frames(self):
        run = self.short_run()
        path = run / "frames/frame_000003.h5"
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0x40
        path.write_bytes(data)
        (run / "frames/frame_000005.h5").unlink()
        done = self.bad(1, "frame 3 is left out", "mesh", run)
        self.assertIn("frame 5 is missing", done.stderr)
        self.assertIn("2 frames were missing or could not be meshed", done.stderr)
        self.assertIn("5 meshes", done.stdout)
        self.bad(1, "no frame in the range", "mesh", run, "--frames", "40:")

    def test_empty_frame_and_one_particle(self):
        scene = runs.SCENE.split("solids:")[0] + "emitters:\n" \
            "  - {material: water, radius: 0.02, position: [0, 1, 0], speed: 2, start: 0.03,\n" \
            "     limit: 1}\n"
        scene = re.sub(r"fluids:.*?(?=emitters)", "", scene, flags=re.S)
        run = self.short_run(scene)
        done = self.good("mesh", run)
        self.assertRegex(done.stdout, r"7 meshes in .*, [1-6] without any fluid")
        vertices, faces = read_ply(run / "surface/frame_000000.ply")
        self.assertEqual((len(vertices), len(faces)), (0, 0))
        vertices, faces = read_ply(run / "surface/frame_000006.ply")
        self.check_closed(faces)
        size = vertices["y"].max() - vertices["y"].min()
        self.assertAlmostEqual(size, 2 * 0.62035 * 0.05, delta=0.2 * 0.5 * 0.05)

    def test_absurd_resolution(self):
        run = self.short_run()
        started = time.monotonic()
        done = self.bad(1, "MiB are allowed", "mesh", run, "--cell", 0.001)
        self.assertRegex(done.stderr, r"would need about [\d.e+]+ MiB")
        self.bad(1, "MiB are allowed", "mesh", run, "--memory", 1, "--cell", 0.1)
        self.assertLess(time.monotonic() - started, 20)
        self.assertEqual(list((run / "surface").glob("frame_*")), [])
        self.bad(2, "--cell", "mesh", run, "--cell", 0)
        self.bad(2, "clavet", "mesh", run, "--method", "clavett")

    def test_scene_sets_the_defaults(self):
        run = self.short_run(runs.SCENE + "surface: {method: clavet, cell: 0.8}\n")
        self.good("mesh", run, "--frames", 4)
        self.good("mesh", run, "--frames", 4, "-o", self.folder / "said", "--method", "clavet",
                  "--cell", 0.8)
        self.good("mesh", run, "--frames", 4, "-o", self.folder / "other", "--method", "isotropic")
        default = (run / "surface/frame_000004.ply").read_bytes()
        self.assertEqual(default, (self.folder / "said/frame_000004.ply").read_bytes())
        self.assertNotEqual(default, (self.folder / "other/frame_000004.ply").read_bytes())
        self.scene.write_text(runs.SCENE + "surface: {metod: clavet}\n")
        self.bad(1, "did you mean 'method'?", "check", self.scene)


if __name__ == "__main__":
    unittest.main()
