"""Every public function answers NULL, NaN and ids out of range with an error: none crashes.

A program is written from the headers in include/ooze, so that new functions are covered too.
"""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from api_program import Api
from runs import BUILD, ROOT


def cached(name):
    """A variable of the build's configuration, or ""."""
    match = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return match[1] if match else ""


class ApiArguments(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-api-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.api = Api(sorted((ROOT / "include/ooze").glob("*.h")))

    def test_all_functions_are_found(self):
        self.assertEqual(len(self.api.functions), self.api.declared)
        self.assertGreater(len(self.api.functions), 80)

    def test_invalid_arguments(self):
        template = (ROOT / "tests/fault/api_program.c.in").read_text()
        source, program = self.folder / "calls.c", self.folder / "calls"
        source.write_text(self.api.program(template))
        sanitizers = cached("OOZE_SANITIZE")
        flags = [f"-fsanitize={sanitizers}"] if sanitizers else []
        done = subprocess.run(
            [cached("CMAKE_C_COMPILER") or "cc", "-std=gnu17", "-O0", *flags, "-Wall",
             "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-function",
             "-Wno-missing-braces", "-I", ROOT / "include", source, "-o", program,
             "-L", BUILD, "-looze", f"-Wl,-rpath,{BUILD}", "-lm"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([program, self.folder], capture_output=True, text=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
