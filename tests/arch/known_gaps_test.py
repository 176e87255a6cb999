#!/usr/bin/env python3
"""docs/known-gaps.md lists the known gaps of the acceptance tests as they stand."""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class KnownGaps(unittest.TestCase):
    def test_page_is_up_to_date(self):
        wanted = subprocess.run([sys.executable, ROOT / "tools/known_gaps.py", "--print"],
                                capture_output=True, text=True, check=True).stdout
        self.assertEqual((ROOT / "docs/known-gaps.md").read_text(), wanted,
                         "write it again: tools/known_gaps.py")


if __name__ == "__main__":
    unittest.main()
