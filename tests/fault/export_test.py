"""Export and `ooze info` of runs, complete and damaged ones."""
import csv
import json
import unittest

import h5py

import runs

FORMATS = {"ply": ".ply", "vtp": ".vtp", "bgeo": ".bgeo", "usda": ".usda", "csv": ".csv"}


class ExportTest(runs.RunTest):
    def short_run(self):
        run = self.folder / "run"
        self.good("run", self.scene, "-o", run, "--frames", 6, "--quiet")
        return run

    def test_every_format(self):
        run = self.short_run()
        for name, suffix in FORMATS.items():
            out = self.folder / name
            done = self.good("export", run, "--format", name, "-o", out)
            self.assertIn("7 files", done.stdout)
            files = sorted(path.name for path in out.glob("frame_*" + suffix))
            self.assertEqual(files, [f"frame_{i:06d}{suffix}" for i in range(7)])
            self.assertEqual(list(out.glob("*.part")), [])

    def test_ranges(self):
        run = self.short_run()
        for text, numbers in (("2", [2]), ("1:3", [1, 2, 3]), ("::2", [0, 2, 4, 6]),
                              ("4:", [4, 5, 6]),
                              (":1", [0, 1]), ("1:100:3", [1, 4]), ("6:6", [6])):
            out = self.folder / text.replace(":", "-")
            self.good("export", run, "--format", "csv", "--frames", text, "-o", out, "--quiet")
            files = sorted(path.name for path in out.glob("frame_*.csv"))
            self.assertEqual(files, [f"frame_{i:06d}.csv" for i in numbers], text)
        self.bad(1, "no frame in the range", "export", run, "--format", "csv", "--frames", "50:60")
        self.assertFalse((run / "export").exists())

    def test_csv_holds_the_frame(self):
        run = self.short_run()
        self.good("export", run, "--format", "csv", "--frames", 6)
        with open(run / "export/frame_000006.csv", newline="") as file:
            rows = list(csv.reader(file))
        with h5py.File(run / "frames/frame_000006.h5") as frame:
            positions = frame["particles/position"][...]
            columns = sum(data.shape[1] if data.ndim > 1 else 1
                          for data in frame["particles"].values())
        self.assertEqual(len(rows) - 1, len(positions))
        self.assertEqual(len(rows[0]), columns)
        at = next(i for i, name in enumerate(rows[0]) if name.startswith("position"))
        for row, position in zip(rows[1:], positions):
            self.assertEqual([float(x) for x in row[at:at + 3]],
                             [float(f"{x:.9g}") for x in position[:3]])

    def test_damaged_frame_is_left_out(self):
        run = self.short_run()
        path = run / "frames/frame_000003.h5"
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0x40
        path.write_bytes(data)
        done = self.bad(1, "frame 3 is left out", "export", run, "--format", "ply")
        self.assertIn("1 frame is missing or damaged", done.stderr)
        files = sorted(path.name for path in (run / "export").glob("frame_*.ply"))
        self.assertEqual(files, [f"frame_{i:06d}.ply" for i in (0, 1, 2, 4, 5, 6)])
        self.bad(1, "frame_000003.h5", "info", path)

    def test_info(self):
        run = self.short_run()
        self.assertRegex(self.good("info", run, "--hash").stdout, r"^[0-9a-f]{16}\n$")
        last = run / "frames/frame_000006.h5"
        self.assertEqual(self.good("info", last, "--hash").stdout,
                         self.good("info", run, "--hash").stdout)
        facts = json.loads(self.good("info", run, "--json").stdout)
        self.assertEqual((facts["kind"], facts["frames"], facts["step"], facts["finished"]),
                         ("run", 7, 60, False))
        self.assertEqual(facts["title"], "everything at once")
        self.assertEqual(facts["hash"], self.hash_of(run))
        self.assertAlmostEqual(facts["time"], 0.06)
        with h5py.File(last) as frame:
            names = set(frame["particles"])
            count = len(frame["particles/id"])
            highest = float(frame["particles/id"][...].max())
            box = [frame["particles/position"][...].min(axis=0),
                   frame["particles/position"][...].max(axis=0)]
        self.assertEqual(facts["particles"], count)
        self.assertEqual({field["name"] for field in facts["fields"]}, names)
        self.assertEqual(next(f["max"] for f in facts["fields"] if f["name"] == "id"), highest)
        position = next(f for f in facts["fields"] if f["name"] == "position")
        self.assertEqual([position["min"], position["max"]],
                         [list(map(float, corner)) for corner in box])
        self.assertEqual([row["density"] for row in facts["state"]["materials"]], [1400, 1000])
        self.assertEqual(facts["state"]["counters"][0]["next_id"], highest + 1)
        text = self.good("info", run).stdout
        self.assertRegex(text, r"\n  materials 1 +density 1000, [^=]* drag 0\.3,")
        self.assertIn("everything at once", text)
        self.assertIn("position", text)

    def test_info_on_scene_and_mesh(self):
        facts = json.loads(self.good("info", self.scene, "--json").stdout)
        self.assertEqual((facts["kind"], facts["last_frame"], facts["steps"]), ("scene", 40, 400))
        # A tetrahedron with three edges of length one: volume 1/6, area 3/2 + sqrt(3)/2.
        mesh = self.folder / "corner.obj"
        mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        facts = json.loads(self.good("info", mesh, "--json").stdout)
        self.assertEqual((facts["vertices"], facts["triangles"], facts["watertight"]), (4, 4, True))
        self.assertAlmostEqual(facts["volume"], 1 / 6, places=12)
        self.assertAlmostEqual(facts["area"], 1.5 + 3 ** 0.5 / 2, places=12)
        self.assertEqual((facts["min"], facts["max"]), ([0, 0, 0], [1, 1, 1]))

    def test_quiet_says_nothing(self):
        run = self.short_run()
        done = self.good("export", run, "--format", "csv", "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")
        self.assertIn("7 files in ", self.good("export", run, "--format", "csv").stdout)

    def test_info_on_height_maps(self):
        picture = self.folder / "hills.pgm"
        picture.write_text("P2\n3 2\n4\n0 1 2\n3 2 1\n")
        facts = json.loads(self.good("info", picture, "--json").stdout)
        self.assertEqual(facts,
                         {"kind": "height map", "columns": 3, "rows": 2, "low": 0, "high": 0.75})
        grid = self.folder / "hills.asc"
        grid.write_text("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0.5\n1 2\n3 5\n")
        facts = json.loads(self.good("info", grid, "--json").stdout)
        self.assertEqual(facts, {"kind": "height map", "columns": 2, "rows": 2, "cell": 0.5,
                                 "low": 1, "high": 5})
        # a grid has a cell size, a picture has none
        shape = "solids: [{{shape: {{type: heightfield, file: {}}}}}]\n"
        scene = runs.SCENE.split("solids:")[0]
        self.scene.write_text(scene + shape.format(grid))
        self.good("check", self.scene)
        self.scene.write_text(scene + shape.format(picture))
        self.bad(1, "size.x = 0", "check", self.scene)

    def test_info_without_particles(self):
        self.scene.write_text(runs.SCENE.replace("size: [0.4, 0.4, 0.4]",
                                                 "size: [0.01, 0.01, 0.01]"))
        self.good("run", self.scene, "-o", self.folder / "empty", "--frames", 0, "--quiet")
        text = self.good("info", self.folder / "empty").stdout
        self.assertRegex(text, r"(?m)^  position +float32 x 3$")
        self.assertNotIn("nan", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
