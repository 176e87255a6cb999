"""The Debian packages, without building them: versions and dependencies agree, scripts are valid.
install_test.py checks their contents; `make deb-test` builds, installs and uses them."""
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "packaging/debian"


def needs(command):
    return unittest.skipUnless(shutil.which(command), f"not installed here: {command}")


class Packaging(unittest.TestCase):
    def test_versions_agree(self):
        project = re.search(r"project\(ooze VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
        newest = re.match(r"ooze \((.*?)\)", (DEBIAN / "changelog").read_text())
        self.assertEqual(newest[1], project[1])
        soname = re.search(r"SOVERSION (\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f"Package: libooze{soname}\n", (DEBIAN / "control").read_text())

    def test_build_dependencies_are_those_that_make_installs(self):
        control = (DEBIAN / "control").read_text()
        listed = re.search(r"Build-Depends:(.*?)\n\S", control, re.S)[1]
        packages = {word.split()[0] for word in listed.split(",")}
        installs = (ROOT / "tools/install.sh").read_text()
        known = set(re.search(r"(?s)^build=\((.*?)\)", installs, re.M)[1].split())
        self.assertEqual({name for name in packages - known if not name.startswith("d")}, set())
        self.assertEqual({name for name in known - packages if name.endswith("-dev")},
                         {"libcmocka-dev",     # of the tests
                          "libopenmpi-dev"})  # of a part that the packages leave out

    @needs("dpkg-parsechangelog")
    def test_changelog_is_valid(self):
        done = subprocess.run(["dpkg-parsechangelog", "-l", DEBIAN / "changelog"], text=True,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Source: ooze\n", done.stdout)

    @needs("bash")
    def test_scripts_are_valid(self):
        for path in [*ROOT.glob("packaging/*.sh"), *ROOT.glob("tools/*.sh")]:
            done = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
