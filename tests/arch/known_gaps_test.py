#!/usr/bin/env python3
"""docs/known-gaps.md lists the known gaps of the acceptance tests as they stand."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import known_gaps  # noqa: E402

SOURCE = """static const double LAYER = 0.015;

static void links_T01_row(void **state)
{
    const double today[] = {1.5, 2};
    KNOWN_GAP("rows", count, 0, 1, 2);
}
"""


class KnownGaps(unittest.TestCase):
    def test_page_is_up_to_date(self):
        wanted = subprocess.run([sys.executable, ROOT / "tools/known_gaps.py", "--print"],
                                capture_output=True, text=True, check=True).stdout
        self.assertEqual((ROOT / "docs/known-gaps.md").read_text(), wanted,
                         "write it again: tools/known_gaps.py")

    def row(self, call, owner="links_T01_row(void **state)"):
        text = SOURCE.replace('KNOWN_GAP("rows", count, 0, 1, 2)', call)
        text = text.replace("links_T01_row(void **state)", owner)
        return known_gaps.gap(ROOT / "tests/physics/links.c", text, re.search(r"KNOWN_GAP\(", text))

    def test_figures_and_bounds_are_numbers(self):
        self.assertEqual(self.row('KNOWN_GAP("a "\n "b", x(1, 2), 0, 4e-1, 1.5)'),
                         ("links_T01_row", "a b", "0", "4e-1", "1.5"))
        self.assertEqual(self.row('KNOWN_GAP("a", x, 0, 20 * LAYER, today[k])')[3:],
                         ("0.3", "1.5, 2"))
        self.assertEqual(self.row('KNOWN_GAP("a", x, 0, 1, full_sweep() ? 3 : 2)')[4],
                         "3 (short form: 2)")

    def test_what_the_page_could_not_say_is_refused(self):
        for call, message in (('KNOWN_GAP(what, x, 0, 1, 2)', "not a literal: what"),
                              ('KNOWN_GAP("a", x, 0, 2 * height, 9)', "resolved: 2 . height"),
                              ('KNOWN_GAP("a", x, 0, 1, today)', "resolved: today"),
                              ('KNOWN_GAP("a", x, 0, 1, later[k])', r"resolved: later\[k\]"),
                              ('KNOWN_GAP("a", x, 0, 1, 0.5)', "inside 0 to 1")):
            with self.subTest(call), self.assertRaisesRegex(ValueError, message):
                self.row(call)
        for owner in ("measure(double height)", "measure(void **state)"):
            with self.subTest(owner), self.assertRaisesRegex(ValueError, "measure.., which is no"):
                self.row('KNOWN_GAP("a", x, 0, 1, 2)', owner)


if __name__ == "__main__":
    unittest.main()
