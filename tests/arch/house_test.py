"""The rules of the house, checked: include direction, symbol prefix, no printing or aborting in the
library, file and function length, format."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["OOZE_BUILD_DIR"])

# Each folder of src may include itself and those before it.
ORDER = ["base", "physics", "particles", "solids", "methods", "heat", "world", "cuda", "ode", "cluster", "scene", "output", "surface",
         "render", "plot", "rheology", "rheometer", "view", "parts", "cli"]
# A method must not reach into another method's folder, and physics must stay plain formulas.
PHYSICS_INCLUDES = {"math.h", "stdbool.h", "stddef.h", "stdint.h"}


def tracked(*patterns):
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT, text=True, check=True,
                          capture_output=True)
    return [ROOT / line for line in done.stdout.split("\n") if line and (ROOT / line).exists()]


def includes(path):
    return re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', path.read_text(), re.M)


class House(unittest.TestCase):
    def test_include_direction(self):
        wrong = []
        for path in tracked("src/*.c", "src/*.h", "src/*.cu", "src/*.cuh"):
            own = path.relative_to(ROOT / "src").parts[0]
            self.assertIn(own, ORDER, f"{path}: a folder the plan does not know")
            for name in includes(path):
                other = name.split("/")[0]
                if other in ORDER and ORDER.index(other) > ORDER.index(own):
                    wrong.append(f"{path.relative_to(ROOT)} includes {name}")
                if own == "methods" and other == "methods" and name.count("/") == 2:
                    inside = path.relative_to(ROOT / "src/methods").parts
                    if len(inside) == 2 and inside[0] != name.split("/")[1]:
                        wrong.append(f"{path.relative_to(ROOT)} reaches into {name}")
        self.assertEqual(wrong, [])

    def test_public_headers_stand_alone(self):
        for path in tracked("include/ooze/*.h"):
            for name in includes(path):
                self.assertTrue(name.startswith("ooze/") or name in PHYSICS_INCLUDES, f"{path.name} includes {name}")
            for language in ("c", "c++"):
                done = subprocess.run(["cc", "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wpedantic",
                                       "-Wno-pragma-once-outside-header", "-I", str(ROOT / "include"), str(path)],
                                      capture_output=True, text=True)
                if language == "c++" and "cc1plus" in done.stderr:
                    continue  # no C++ compiler here
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_physics_is_plain_formulas(self):
        for path in tracked("src/physics/*"):
            self.assertEqual(path.suffix, ".h", f"{path}: physics holds formula headers only")
            for name in includes(path):
                self.assertTrue(name.startswith("physics/") or name in PHYSICS_INCLUDES | {"base/formula.h"},
                                f"{path.name} includes {name}")
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            for word in (r"\brestrict\b", r"\bmalloc\b", r"\bfor\s*\(\s*uint64_t"):
                self.assertIsNone(re.search(word, text), f"{path.name}: {word}")
            self.assertIsNone(re.search(r"^static\b", text, re.M), f"{path.name}: a formula is OOZE_FORMULA, for CUDA too")

    def test_formulas_are_valid_cuda(self):
        """CUDA is C++: compound literals and designated initialisers must not slip in."""
        formulas = tracked("src/physics/*.h", "src/base/vec3.h", "src/*/*_formula.h")
        self.assertGreater(len(formulas), 20)
        for path in formulas:
            done = subprocess.run(["cc", "-x", "c++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
                                   "-Werror", "-Wno-unused-function", "-Wno-pragma-once-outside-header",
                                   "-I", str(ROOT / "src"), "-I", str(ROOT / "include"), str(path)],
                                  capture_output=True, text=True)
            if "cc1plus" not in done.stderr:  # no C++ compiler here
                self.assertEqual(done.returncode, 0, done.stderr)

    def objects(self):
        found = [p for p in (BUILD / "CMakeFiles/ooze_objects.dir/src").rglob("*.o")]
        self.assertGreater(len(found), 20, "no object files found")
        return found

    def test_symbol_prefix(self):
        wrong = []
        for path in self.objects():
            done = subprocess.run(["nm", "-g", "--defined-only", "-P", str(path)], text=True, capture_output=True, check=True)
            for line in done.stdout.splitlines():
                name, kind = line.split()[:2]
                if path.name.endswith(".cu.o") and (re.match(r"_ZN?K?4ooze", name) or kind in "WVu"):
                    continue  # device code: namespace ooze, and what templates leave behind
                if not name.startswith("ooze_") and not name.startswith(("__odr_asan", "__asan")):
                    wrong.append(f"{path.name}: {name}")
        self.assertEqual(wrong, [])
        done = subprocess.run(["nm", "-D", "-g", "--defined-only", "-P", str(BUILD / "libooze.so")], text=True,
                              capture_output=True, check=True)
        exported = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertIn("ooze_world_step", exported)
        self.assertEqual([n for n in exported if not n.startswith("ooze_") and "asan" not in n], [])

    def test_every_public_function_is_exported(self):
        declared = set()
        for path in tracked("include/ooze/*.h"):
            declared |= set(re.findall(r"OOZE_API[^;]*?\b(ooze_\w+)\(", path.read_text()))
        done = subprocess.run(["nm", "-D", "-g", "--defined-only", "-P", str(BUILD / "libooze.so")], text=True,
                              capture_output=True, check=True)
        exported = {line.split()[0] for line in done.stdout.splitlines()}
        self.assertGreater(len(declared), 40)
        self.assertEqual(declared - exported, set())

    def test_library_never_prints_or_exits(self):
        banned = {"printf", "puts", "putchar", "vprintf", "perror", "exit", "_exit", "abort", "__assert_fail", "system",
                  "rand", "srand", "stdout", "stderr", "signal", "sigaction"}
        wrong = []
        for path in self.objects():
            done = subprocess.run(["nm", "-u", "-P", str(path)], text=True, capture_output=True, check=True)
            wrong += [f"{path.name}: {line.split()[0]}" for line in done.stdout.splitlines() if line.split()[0] in banned]
        self.assertEqual(wrong, [])

    def test_lengths(self):
        wrong = []
        for path in tracked("*.c", "*.h", "*.cu", "*.cuh", "*.py", "*.sh"):
            lines = path.read_text().split("\n")
            if len(lines) > 600:
                wrong.append(f"{path.relative_to(ROOT)}: {len(lines)} lines")
            start = None
            for number, line in enumerate(lines, 1):
                if line == "{":
                    start = number
                elif line == "}" and start is not None and path.suffix in (".c", ".h", ".cu", ".cuh"):
                    if number - start > 80:
                        wrong.append(f"{path.relative_to(ROOT)}:{start}: function of {number - start} lines")
                    start = None
        self.assertEqual(wrong, [])

    def test_format(self):
        files = [str(p) for p in tracked("*.c", "*.h", "*.cu", "*.cuh")]
        done = subprocess.run(["clang-format-14", "--dry-run", "-Werror", *files], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:2000])

    def test_no_system_path_is_named(self):
        """A test that opens, links or writes a system file by name can damage the machine it runs on."""
        pattern = re.compile(r"[\"'](/(?:etc|usr|var|home|root|boot|opt)/[^\"']*)[\"']")
        allowed = {"/usr/bin/python3", "/usr/local/cuda/bin"}
        wrong = []
        for path in tracked("src/*", "tests/*.c", "tests/*.h", "tests/*.cu", "tests/*.py", "bench/*"):
            if path.suffix in (".c", ".h", ".cu", ".cuh", ".py"):
                wrong += [f"{path.relative_to(ROOT)}: {name}" for name in pattern.findall(path.read_text())
                          if name not in allowed]
        self.assertEqual(wrong, [])

    def test_the_plan_is_true(self):
        """Every file and folder that the plan of the house names is there."""
        plan = (ROOT / "docs/ARCHITECTURE.md").read_text()
        named = re.findall(r"`((?:src|tests|include)/[\w/.]*|[a-z]+/[a-z_]+\.[ch])`", plan)
        self.assertGreater(len(named), 20)
        missing = [name for name in named if not (ROOT / name).exists() and not (ROOT / "src" / name).exists()]
        self.assertEqual(missing, [])

    def test_no_intrinsics_outside_the_wide_layer(self):
        for path in tracked("src/*.c", "src/*.h"):
            if path.name != "wide.h":
                for name in includes(path):
                    self.assertNotIn(name, ("arm_neon.h", "immintrin.h", "x86intrin.h"), str(path))


if __name__ == "__main__":
    unittest.main(verbosity=2)
