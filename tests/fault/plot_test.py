"""`ooze plot`: files other programs can read, runs side by side, and one clear line for every
slip."""
import resource
import shutil
import struct
import subprocess
import time
import unittest
import xml.etree.ElementTree as xml
import zlib

import runs

SVG = "{http://www.w3.org/2000/svg}"
BLUE, VERMILION = "#0072b2", "#d55e00"  # the first two colours of the palette


def texts_of(path):
    return ["".join(node.itertext()) for node in xml.parse(path).iter(SVG + "text")]


def curves_of(path, color):
    return [[tuple(map(float, pair.split(","))) for pair in node.get("points").split()]
            for node in xml.parse(path).iter(SVG + "polyline")
            if node.get("stroke") == color and len(node.get("points").split()) > 2]


def read_png(path):
    """Width, height and rows of bytes, unfiltered by the book; raises where a checksum is wrong."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I",
                             data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    raw, rows, above = zlib.decompress(chunks[b"IDAT"]), [], bytes(3 * width)
    assert len(raw) == (3 * width + 1) * height
    for y in range(height):
        kind, *line = raw[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
        row = bytearray(line)
        for i in range(3 * width):
            left, up, corner = (row[i - 3], above[i], above[i - 3]) if i >= 3 else (0, above[i], 0)
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
        rows.append(bytes(row))
        above = row
    return width, height, rows


class PlotTest(runs.RunTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "first"
        self.good("run", self.scene, "-o", self.run_folder, "-q", "--frames", 12)

    def plot(self, *arguments, name="p.svg"):
        out = self.folder / name
        done = self.good("plot", self.run_folder, *arguments, "-o", out)
        self.assertEqual(done.stdout, f"{out}\n")
        return out

    def test_svg_contains_titles_and_curve(self):
        out = self.plot("tall", "--title", "Fish & <chips> \"é\" \xff")
        texts = texts_of(out)
        self.assertIn("Fish & <chips> \"é\" \xff", texts)
        self.assertIn("tall.height (m)", texts)
        self.assertIn("time (s)", texts)
        self.assertEqual(len(curves_of(out, BLUE)), 1)
        self.assertEqual(len(curves_of(out, BLUE)[0]), 13)
        root = xml.parse(out).getroot()
        self.assertEqual((root.get("width"), root.get("height")), ("800", "420"))

    def test_curve_is_the_data(self):
        """Ticks tell the scale; every reading lies where it says, within a pixel (ticks are snapped
        to pixels)."""
        points = curves_of(self.plot("tall"), BLUE)[0]
        ticks = []
        for node in xml.parse(self.folder / "p.svg").iter(SVG + "text"):
            if node.get("text-anchor") == "end":
                ticks.append((float("".join(node.itertext()).replace("−", "-")),
                              float(node.get("y")) - 4))
        (v0, y0), (v1, y1) = ticks[0], ticks[-1]
        lines = (self.run_folder / "probes.csv").read_text().splitlines()
        column = lines[0].split(",").index("tall.height [m]")
        readings = [float(line.split(",")[column]) for line in lines[1:]]
        for value, (_, y) in zip(readings, points, strict=True):
            self.assertAlmostEqual(y, y0 + (value - v0) / (v1 - v0) * (y1 - y0), delta=1)

    def test_every_step_is_drawn(self):
        """120 steps in the first 12 frames, and step 0."""
        points = curves_of(self.plot("energy.kinetic"), BLUE)[0]
        self.assertEqual(len(points), 121)
        self.assertEqual(len(curves_of(self.plot("energy.kinetic", "--x", "centre.y"), BLUE)[0]),
                         13)

    def test_runs_side_by_side(self):
        other = self.folder / "second"
        self.good("run", self.scene, "-o", other, "-q", "--frames", 12, "--set",
                  "gravity=[0, -2, 0]")
        out = self.plot(other, "--probe", "centre.y")
        self.assertIn("first", texts_of(out))
        self.assertIn("second", texts_of(out))
        first, second = curves_of(out, BLUE)[0], curves_of(out, VERMILION)[0]
        self.assertGreater(first[-1][1], second[-1][1])  # what falls faster ends lower on the page
        self.assertEqual(out.read_bytes(), self.plot(other, "centre.y", name="q.svg").read_bytes())
        texts = texts_of(self.plot(other, "tall", "-l", "earth", "-l", "moon"))
        self.assertTrue({"earth", "moon"} <= set(texts) and "first" not in texts)

    def test_units_get_panels(self):
        texts = texts_of(self.plot("tall", "centre", "energy"))
        self.assertEqual(sum(word.endswith("(m)") for word in texts), 1)
        self.assertIn("energy (J)", texts)
        self.assertTrue({"tall.height", "centre.x", "energy.potential"} <= set(texts))

    def test_references_are_markers(self):
        table = self.folder / "measured.csv"
        table.write_text("time [s],height [m]\n0.02,0.5\n0.06,0.6\n0.1,nan\n")
        out = self.plot("tall", "--reference", table)
        self.assertIn("measured", texts_of(out))
        circles = [node for node in xml.parse(out).iter(SVG + "polygon")]
        self.assertEqual(len(circles), 3)  # two points and one in the legend

    def test_png_is_the_same_drawing(self):
        width, height, rows = read_png(self.plot("tall", "--size", "640x360", name="p.png"))
        self.assertEqual((width, height), (640, 360))
        points = curves_of(self.plot("tall", "--size", "640x360"), BLUE)[0]
        for x, y in points[1:-1]:
            near = [rows[int(y) + dy][3 * (int(x) + dx):][:3] for dy in (-1, 0, 1)
                    for dx in (-1, 0, 1)]
            self.assertTrue(any(p[0] < 100 and p[2] > 130 for p in near), (x, y))
        self.assertEqual(rows[0], b"\xff" * (3 * 640))

    @unittest.skipUnless(shutil.which("pdftotext"), "poppler-utils is not installed")
    def test_pdf_is_the_same_drawing(self):
        """A page of 1/96 inch a pixel, with every text of the SVG as text."""
        arguments = ("tall", "centre", "--title", "Fish & <chips> é", "--log", "x", "--x-range",
                     "1e-4:1")
        out = self.plot(*arguments, name="p.pdf")
        shown = subprocess.run(["pdftotext", "-layout", out, "-"], capture_output=True, text=True,
                               check=True).stdout
        for text in texts_of(self.plot(*arguments)):
            self.assertIn(text, shown.replace("\xa0", " "))
        info = subprocess.run(["pdfinfo", out], capture_output=True, text=True, check=True).stdout
        self.assertRegex(info, r"Pages: +1\n")
        self.assertRegex(info, r"Page size: +600 x 315 pts")

    def test_ends_are_numbers_of_scenes(self):
        first = self.plot("tall", "--x-range", "0.025:0.1", name="a.svg").read_bytes()
        self.assertEqual(first, self.plot("tall", "--x-range", "1/40:0.1*1",
                                          name="b.svg").read_bytes())

    def test_same_bytes(self):
        first = {}
        for name in ("a.svg", "a.png", "a.pdf"):
            first[name] = self.plot("tall", "centre", name=name).read_bytes()
        time.sleep(1.1)  # no time of day is in the file
        for name, data in first.items():
            self.assertEqual(data, self.plot("tall", "centre", name="b" + name[1:]).read_bytes())

    def test_without_fonts(self):
        """Where no font is installed cairo draws its built-in one."""
        empty = self.folder / "fonts.conf"
        empty.write_text("<?xml version='1.0'?><fontconfig><cachedir>%s</cachedir></fontconfig>"
                         % self.folder)
        for name in ("p.svg", "p.png", "p.pdf"):
            self.good("plot", self.run_folder, "tall", "-o", self.folder / name,
                      env={"FONTCONFIG_FILE": str(empty)})
        _, _, rows = read_png(self.folder / "p.png")
        self.assertLess(min(min(row[60:120]) for row in rows), 120)  # labels of the y axis

    def test_full_disk_and_bad_path(self):
        def no_space():
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

        for name in ("p.svg", "p.png", "p.pdf"):
            done = runs.ooze("plot", self.run_folder, "tall", "-o", self.folder / name,
                             preexec_fn=no_space,
                             restore_signals=False)  # writing beyond is an error, as on a full disk
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(name, done.stderr)
            self.bad(1, "nowhere", "plot", self.run_folder, "tall", "-o",
                     self.folder / "nowhere" / name)
        self.assertEqual(list(self.folder.glob("p.*")), [])

    def test_axes(self):
        self.assertIn("10⁻⁴",
                      " ".join(texts_of(self.plot("tall", "--log", "xy", "--x-range", "1e-4:1"))))
        points = curves_of(self.plot("tall", "--x-range", "0.05:0.1"), BLUE)[0]
        self.assertLess(len(points), 9)
        self.plot("count", "--y-range", ":9000")

    def test_default_place(self):
        self.good("plot", self.run_folder, "count")
        self.assertTrue((self.run_folder / "plot.svg").exists())

    def test_half_written_rows_and_one_sample(self):
        table = self.run_folder / "probes.csv"
        lines = table.read_text().splitlines(keepends=True)
        table.write_text("".join(lines[:2]) + lines[2][:20])  # a run that is being written
        out = self.plot("tall")
        dots = [n for n in xml.parse(out).iter(SVG + "polyline") if n.get("stroke") == BLUE]
        self.assertEqual(len(dots), 1)
        self.assertEqual(len(dots[0].get("points").split()), 1)
        table.write_text(lines[0])
        self.bad(1, "no readings yet", "plot", self.run_folder, "tall")

    def test_mistakes_give_one_error_line(self):
        empty, words = self.folder / "empty.csv", self.folder / "words.csv"
        empty.write_text("")
        words.write_text("time [s],force [N]\n0,1\n")
        run = self.run_folder
        for code, part, arguments in (
                (2, "RUN is missing", []),
                (2, "say which probes", [run]),
                (2, ".svg, .png or .pdf", [run, "tall", "-o", "p.ps"]),
                (2, "WIDTHxHEIGHT", [run, "tall", "--size", "big"]),
                (2, "WIDTHxHEIGHT", [run, "tall", "--size", "10x10"]),
                (2, "LOW:HIGH", [run, "tall", "--x-range", "3:1"]),
                (2, "LOW:HIGH", [run, "tall", "--y-range", "1"]),
                (2, "above 0", [run, "tall", "--log", "y", "--y-range", "0:1"]),
                (2, "did you mean '--output'", [run, "tall", "--ouput", "p.svg"]),
                (1, "did you mean 'tall'?", [run, "tal"]),
                (1, "did you mean 'tall.height'?", [run, "tall.hieght"]),
                (1, "has no column 'pressure'; it has frame, step, time", [run, "pressure"]),
                (1, "is 3 columns", [run, "tall", "--x", "centre"]),
                (1, "nowhere", ["nowhere", "tall"]),
                (1, "not a run folder", [run / "frames", "tall"]),
                (1, "'no_run'", [run, "no_run", "--probe", "tall"]),
                (1, "is empty", [run, "tall", "--reference", empty]),
                (1, "unit of no probe", [run, "tall", "--reference", words]),
                (1, "do not fit", [run, "tall", "energy", "centre", "--size", "200x200"])):
            with self.subTest(arguments):
                done = self.bad(code, part, "plot", *arguments, cwd=self.folder)
                self.assertEqual(done.stdout, "")
                self.assertLessEqual(len(done.stderr.splitlines()), 2)
        self.assertFalse((run / "plot.svg").exists())


if __name__ == "__main__":
    unittest.main()
