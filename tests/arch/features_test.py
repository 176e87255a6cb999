"""A package that is half installed leaves its part out with one line; the configuration goes on."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Found before the system's: each lacks something that building a program needs.
FILES = {
    "lib/libembree3.so": "",
    "lib/pkgconfig/libpng.pc": "Name: libpng\nDescription: no library\nVersion: 1.6\nLibs: "
                               "-lpng_absent\n",
    "lib/pkgconfig/ode.pc": "Name: ode\nDescription: no library\nVersion: 0.16\nLibs: "
                            "-lode_absent\n",
    "lib/pkgconfig/libwebsockets.pc": "Name: libwebsockets\nDescription: no library\n"
                                      "Version: 4.1\nLibs: -lwebsockets_absent\n",
    "include/meshoptimizer.h": "/* from another version: declares nothing */\n",
    "bin/nvcc": "#!/bin/sh\necho 'probe.cu: error: unsupported GNU version!' >&2\nexit 1\n",
}


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-parts-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name, text in FILES.items():
            path = cls.folder / "prefix" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)

    def configure(self, *settings):
        prefix = self.folder / "prefix"
        done = subprocess.run(
            ["cmake", "-G", "Ninja", "-S", ROOT, "-B", self.folder / "build", "-DOOZE_TESTS=OFF",
             "-DOOZE_MPI=OFF",  # CMake finds that of the system too
             f"-DCMAKE_PREFIX_PATH={prefix}", *settings], capture_output=True, text=True,
            env={**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "CUDA_PATH": ""})
        return done.returncode, done.stdout + done.stderr

    def test_half_installed_packages(self):
        code, output = self.configure()
        self.assertEqual(code, 0, output)
        lines = dict(re.findall(r"(?m)^-- Part (\w+): (.*)$", output))
        self.assertEqual(lines, {
            "cuda": f"left out, as {self.folder}/prefix/bin/nvcc builds no program: "
                    "probe.cu: error: unsupported GNU version!",
            "render": "left out, as Embree 3 is missing or incomplete (libembree-dev)",
            "ode": "left out, as ODE is missing or incomplete (libode-dev)",
            "meshopt": "left out, as meshoptimizer is missing or incomplete (libmeshoptimizer-dev)",
            "view": "left out, as libwebsockets is missing or incomplete (libwebsockets-dev)",
            "mpi": "turned off (OOZE_MPI)",
        })
        # What has been mended is found by the next configuration; what is demanded is not left out.
        (self.folder / "prefix/include/meshoptimizer.h").write_text(
            "void meshopt_setAllocator(void *(*)(unsigned long), void (*)(void *));\n")
        code, output = self.configure("-DOOZE_CUDA=ON", "-DOOZE_ODE=OFF")
        self.assertNotEqual(code, 0, output)
        self.assertIn("OOZE_CUDA is ON, but", output)
        code, output = self.configure("-DOOZE_CUDA=OFF", "-DOOZE_EMBREE_LIBRARY=embree3",
                                      "-DOOZE_VIEW=OFF")
        self.assertEqual(code, 0, output)
        lines = dict(re.findall(r"(?m)^-- Part (\w+): (.*)$", output))
        self.assertEqual(lines, {
            "cuda": "turned off (OOZE_CUDA)",
            "render": "left out, as libpng is missing or incomplete (libpng-dev)",
            "ode": "turned off (OOZE_ODE)",
            "meshopt": "built in",
            "view": "turned off (OOZE_VIEW)",
            "mpi": "turned off (OOZE_MPI)",
        })


if __name__ == "__main__":
    unittest.main(verbosity=2)
