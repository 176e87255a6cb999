"""The build of the page of `ooze view` checks its types."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = pathlib.Path(os.environ["OOZE_BUILD_DIR"]) / "web/work/node_modules"


@unittest.skipUnless((PACKAGES / ".bin/tsc").exists(), "the packages of the page are not installed")
class Types(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ooze-page-")
        self.web = pathlib.Path(self.folder.name) / "web"
        self.out = pathlib.Path(self.folder.name) / "out"
        shutil.copytree(ROOT / "web", self.web)
        work = self.out / "work"
        work.mkdir(parents=True)
        (work / "node_modules").symlink_to(PACKAGES)
        shutil.copy(ROOT / "web/package-lock.json", work / "installed.json")

    def tearDown(self):
        self.folder.cleanup()

    def build(self):
        return subprocess.run([sys.executable, ROOT / "tools/web_page.py", self.web, self.out],
                              text=True, capture_output=True)

    def test_a_type_that_does_not_fit_ends_the_build(self):
        source = self.web / "src/colours.ts"
        source.write_text(source.read_text() + 'export const width: number = "wide";\n')
        done = self.build()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, r"colours\.ts.*error TS")
        self.assertFalse((self.out / "assets.c").exists())

    def test_the_page_as_it_is_builds(self):
        done = self.build()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ooze_asset_count = 5", (self.out / "assets.c").read_text())


if __name__ == "__main__":
    unittest.main()
