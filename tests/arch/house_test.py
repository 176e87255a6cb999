"""Checks the rules of CONTRIBUTING.md and docs/ARCHITECTURE.md: include direction, symbol prefix,
no printing or aborting in the library, lengths, parameters, format, functions without a caller,
retired words."""
import collections
import functools
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["OOZE_BUILD_DIR"])

# Each folder of src may include itself and those before it.
ORDER = ["base", "physics", "particles", "mesh", "solids", "materials", "step", "machine",
         "solvers", "methods",
         "heat", "world", "ode", "scene", "output", "surface", "cuda", "plot", "rheology",
         "rheometer", "render", "view", "serve", "mpi", "wasm", "features", "cli"]
# A method must not reach into another method's folder, and physics must stay plain formulas.
PHYSICS_INCLUDES = {"math.h", "stdbool.h", "stddef.h", "stdint.h"}
CODE = (".c", ".h", ".cu", ".cuh")
TEXT = CODE + (".py", ".sh", ".md", ".yaml", ".json", ".txt", ".cmake")

# Words that have been replaced, refused everywhere; also as a part of an identifier, such as
# `open_door` in `ooze_engine_open_door`.
RETIRED_WORDS = {word.replace("/", ""): better for word, better in {
    "bring/_home": "sync_to_host", "take/_back": "own_on_host", "hand/_over": "upload",
    "open/_door": "begin_arrivals", "let/_in": "append_arrivals", "hand/_on": "stress_flux",
    "stra/ngers": "overlapping particles, overlap_relief", "str/oke": "substep",
    "str/okes": "substeps", "sub-/step": "substep", "sub-/steps": "substeps",
    "no/body": "the thing or the state itself", "no o/ne": "the thing or the state itself",
    "some/body": "the thing itself", "some/one": "the thing itself",
    "wh/om": "the thing itself", "gives w/ay": "is dynamic", "give w/ay": "are dynamic",
    "Ooze/Hold": "OozeContactSet", "Ooze/Four": "a name with f32x4", "ooze/_four": "ooze_f32x4",
    "sub/_step": "substep", "warm/_rows": "temperature_rows",
    "intru/der": "a buried particle, a moving solid", "intru/ders": "buried particles",
    "thread even/ing": "thread regularisation", "tell/_all": "broadcast", "take/_turn": "advance",
}.items()}
# Refused as identifiers, or as parts of them, but not in sentences.
RETIRED_NAMES = {word.replace("/", ""): better for word, better in {
    "re/call": "warm_start", "bor/ne": "load_excess", "ca/lm": "relief_progress",
    "di/al": "fixed_point", "dou/bts": "warnings", "car/rier": "readback",
    "w/ay": "delta, diffusion_length, direction", "hold/_back": "contact_velocity",
    "goes/_on": "continues", "ea/se": "effective_inverse_mass",
    "wel/come": "init_particles", "un/met": "unconverged", "keep_/heat": "enable_heat",
    "even/ing": "thread_regularisation", "intru/ded": "any_buried", "intru/des": "has_buried",
    "visi/tor": "migrant", "visi/tors": "migrants", "tak/ers": "receivers",
    "spe/cial": "boundary_particle", "tra/ps": "warnings", "ob/ey": "handle_message",
    "ad/mit": "accept", "ad/mitted": "accepted", "try_/masses": "try_diagonal",
    "iterate_/masses": "iterate_diagonal", "leave_to_/masses": "leave_to_diagonal",
}.items()}
# Where such a word is a term of the field: lines of a drawing are stroked, light obeys laws.
RETIRED_EXCEPT = {"str" "oke": ("src/plot/", "tests/unit/plot_", "tests/fault/plot_"),
                  "ob" "ey": ("tests/unit/render_caustic_",)}


def tracked(*patterns):
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT,
                          text=True, check=True, capture_output=True)
    return [ROOT / line for line in done.stdout.split("\n") if line and (ROOT / line).exists()]


def code_files(*folders):
    return [path for path in tracked(*folders) if path.suffix in CODE]


def includes(path):
    return re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', path.read_text(), re.M)


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def without_comments(text):
    """Comments and strings are blanked; line numbers stay."""
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", blank, text,
                  flags=re.S)


def functions(text):
    """(line, name, number of parameters) of every function declared or defined at file scope."""
    text = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, without_comments(text))
    text = re.sub(r"\b(?:namespace\s*\w*|extern)\s*\{", blank, text)
    depth = 0
    for found in re.finditer(r"[{}]|\b(\w+)\s*\(", text):
        if found[0] in "{}":
            depth = max(depth + (1 if found[0] == "{" else -1), 0)
        elif depth == 0:
            count, end = count_parameters(text, found.end())
            if re.match(r"\s*(?:const\s*)?[;{]", text[end:]):
                yield text.count("\n", 0, found.start()) + 1, found[1], count


def count_parameters(text, start):
    """Those of the list that begins behind the parenthesis at `start`, and where the list ends."""
    depth, commas, end = 1, 0, start
    while depth > 0 and end < len(text):
        depth += (text[end] in "([{<") - (text[end] in ")]}>")
        commas += depth == 1 and text[end] == ","
        end += 1
    empty = text[start:end - 1].strip() in ("", "void")
    return 0 if empty else commas + 1, end


def circles(graph):
    """Groups of nodes that reach each other."""
    reached = {}
    for node in graph:
        seen, todo = set(), [node]
        while todo:
            more = set(graph[todo.pop()]) - seen
            todo += more
            seen |= more
        reached[node] = seen
    groups = {frozenset(b for b in reached[a] if a in reached[b]) for a in graph if a in reached[a]}
    return sorted(sorted(group) for group in groups)


def list_symbols(*arguments):
    """(file, name, kind) of every symbol that nm lists."""
    done = subprocess.run(["nm", "-A", "-P", *arguments], text=True, capture_output=True,
                          check=True)
    return re.findall(r"(?m)^(.+?): (\S+) (\S)", done.stdout)


def exported_symbols():
    return {name for _, name, _ in list_symbols("-D", "-g", "--defined-only", BUILD / "libooze.so")}


@functools.cache
def object_symbols(*targets):
    """(source, name, kind) of the external symbols of targets' objects; kind U: used there."""
    folders = [folder for name in targets for folder in BUILD.rglob(name + ".dir")]
    objects = [path for folder in folders for path in folder.rglob("*.o")]
    return [(re.sub(r".*\.dir/(.*)\.o", r"\1", path), name, kind)
            for path, name, kind in list_symbols("-g", *objects)]


def public_functions():
    return {name for path in tracked("include/ooze/*.h")
            for name in re.findall(r"OOZE_API[^;]*?\b(ooze_\w+)\(", path.read_text())}


def words_of(paths):
    """How often each word stands in code."""
    return collections.Counter(word for path in paths
                               for word in re.findall(r"\w+", without_comments(path.read_text())))


def plain_name(symbol):
    """The function's own name in a symbol of C++: _ZN4ooze11running_sumEPj."""
    names, rest = [], symbol.removeprefix("_ZN").removeprefix("_Z")
    while symbol.startswith("_Z") and (length := re.match(r"K?(\d+)", rest)):
        end = length.end() + int(length[1])
        names.append(rest[length.end():end])
        rest = rest[end:]
    return names[-1] if names else symbol


def uncalled():
    """External functions and tables of the library and the command that no other object of them or
    of a benchmark uses, nor source that this build leaves out. A function that its own file calls
    is external for its tests only."""
    own = object_symbols("ooze_objects", "ooze_loops_AVX2", "ooze_loops_AVX512", "ooze")
    benches = object_symbols(*(path.stem for path in tracked("bench/*.c", "bench/*.cu")))
    compiled = {source for source, _, _ in own}
    left_out = [path for path in tracked("src/*.c", "src/*.cu")
                if str(path.relative_to(ROOT)) not in compiled]
    if any(path.suffix == ".cu" for path in left_out):
        left_out += tracked("src/*.cuh")
    # tests make allocations fail by the latter
    used = {"main", "ooze_memory_fail_after"} | public_functions()
    used |= set(words_of(left_out + tracked("bench/*.cu")))
    used |= {name for _, name, kind in own + benches if kind == "U"}
    tested, found = words_of(code_files("tests")), set()
    for source, symbol, kind in own:
        name = plain_name(symbol)
        if not (ROOT / source).exists():
            continue  # an old object of a source that is gone
        if kind in "TDBRC" and symbol not in used and name not in used:
            called = words_of([ROOT / source])[name] > 1
            if not called or not tested[name]:
                found.add(f"{source}: {name}: " + ("static, as its own file alone calls it"
                                                   if called else "has no caller"))
    return sorted(found)


def unused_inline():
    """Functions of headers that nothing but tests mentions."""
    words = words_of(code_files("src", "include", "bench"))
    return [f"{path.relative_to(ROOT)}:{line}: {name}"
            for path in code_files("src") if path.suffix in (".h", ".cuh")
            for line, name, _ in functions(path.read_text()) if words[name] == 1]


def retired():
    """Places of retired words and names, in text and in the names of files."""
    def pattern(words):
        choices = "|".join(words).replace(" ", r"\s+")
        return re.compile(rf"(?<![A-Za-z0-9])({choices})(?![A-Za-z0-9])")

    def hits(expression, text):
        return {(hit.start(), " ".join(hit[0].split())) for hit in expression.finditer(text)}

    words, names = pattern(RETIRED_WORDS), pattern(RETIRED_WORDS | RETIRED_NAMES)
    found = []
    for path in tracked("src", "include", "docs", "scenes", "tests", "bench", "tools", "python",
                        "*.md"):
        if path == pathlib.Path(__file__).resolve() or path.suffix not in TEXT:
            continue
        text, where = path.read_text(), path.relative_to(ROOT)
        found += [f"{where}: the file's name: {name}" for name in names.findall(path.stem)]
        code = without_comments(text) if path.suffix in CODE else ""
        found += [f"{where}:{text.count(chr(10), 0, at) + 1}: {word}: now "
                  f"{(RETIRED_WORDS | RETIRED_NAMES)[word]}"
                  for at, word in sorted(hits(words, text) | hits(names, code))
                  if not str(where).startswith(RETIRED_EXCEPT.get(word.removesuffix("s"), "/"))]
    return found


def long_lines():
    return [f"{path.relative_to(ROOT)}:{number}: {len(line)} columns"
            for path in tracked() if path.suffix in CODE + (".py", ".sh")
            for number, line in enumerate(path.read_text().split("\n"), 1) if len(line) > 100]


def many_parameters():
    """Functions with more than seven parameters, and how many functions there are."""
    wrong, seen = [], 0
    for path in code_files():
        for line, name, count in functions(path.read_text()):
            seen += 1
            if count > 7:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {name} has {count} parameters")
    return wrong, seen


def header_circles():
    headers = {str(path.relative_to(ROOT / path.relative_to(ROOT).parts[0])): path
               for path in tracked("src/*.h", "src/*.cuh", "include/*.h")}
    return circles({name: [other for other in includes(path) if other in headers]
                    for name, path in headers.items()})


class House(unittest.TestCase):
    def assert_none(self, wrong):
        if wrong:
            self.fail(f"{len(wrong)} places:\n" + "\n".join(map(str, wrong[:100])))

    def test_include_direction(self):
        wrong = []
        for path in code_files("src"):
            folders = path.relative_to(ROOT / "src").parts
            # device code of a method or a solver is in its folder
            own = "cuda" if "cuda" in folders[:-1] else folders[0]
            self.assertIn(own, ORDER, f"{path}: a folder that ORDER does not list")
            for name in includes(path):
                other = name.split("/")[0]
                if other in ORDER and ORDER.index(other) > ORDER.index(own):
                    wrong.append(f"{path.relative_to(ROOT)} includes {name}")
                if folders[0] == "methods" and other == "methods" and name.count("/") >= 2:
                    if len(folders) > 2 and folders[1] != name.split("/")[1]:
                        wrong.append(f"{path.relative_to(ROOT)} reaches into {name}")
        self.assert_none(wrong)

    def test_a_programme_knows_no_machine(self):
        """The programme of a step names neither threads nor the GPU; its stages do."""
        seen = 0
        for stages in tracked("src/methods/*/stages.h", "src/solvers/*/stages.h"):
            programme = stages.with_name("step.c")
            if not programme.exists():
                programme = stages.with_name(stages.parent.name + ".c")
            for path in (stages, stages.with_name("step.h"), programme):
                for name in includes(path):
                    self.assertNotEqual(name.split("/")[0], "cuda", path)
                    self.assertNotEqual(name, "base/threads.h", path)
                text = without_comments(path.read_text())
                self.assertIsNone(re.search(r"ooze_parallel_for|ooze_halo_|\bGpu\b", text), path)
                seen += 1
        self.assertGreater(seen, 8)

    def test_headers_have_no_include_cycle(self):
        self.assertEqual(circles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]}), [["b", "c"]])
        self.assert_none(header_circles())

    def test_public_headers_stand_alone(self):
        for path in tracked("include/ooze/*.h"):
            for name in includes(path):
                self.assertTrue(name.startswith("ooze/") or name in PHYSICS_INCLUDES,
                                f"{path.name} includes {name}")
            for language in ("c", "c++"):
                self.check_syntax(language, path)

    def check_syntax(self, language, path, *options):
        done = subprocess.run(["cc", "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                               "-Wpedantic", "-Wno-pragma-once-outside-header", *options,
                               "-I", str(ROOT / "include"), str(path)],
                              capture_output=True, text=True)
        if "cc1plus" not in done.stderr:  # no C++ compiler here
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_physics_is_plain_formulas(self):
        for path in tracked("src/physics/*"):
            self.assertEqual(path.suffix, ".h", f"{path}: physics holds formula headers only")
            allowed = PHYSICS_INCLUDES | {"base/formula.h"}
            for name in includes(path):
                self.assertTrue(name.startswith("physics/") or name in allowed,
                                f"{path.name} includes {name}")
            text = without_comments(path.read_text())
            for word in (r"\brestrict\b", r"\bmalloc\b", r"\bfor\s*\(\s*uint64_t"):
                self.assertIsNone(re.search(word, text), f"{path.name}: {word}")
            self.assertIsNone(re.search(r"^static\b", text, re.M),
                              f"{path.name}: a formula is OOZE_FORMULA, for CUDA too")

    def test_formulas_are_valid_cuda(self):
        """CUDA is C++: compound literals and designated initialisers must not slip in."""
        formulas = tracked("src/physics/*.h", "src/base/vec3.h", "src/*/*_formula.h")
        self.assertGreater(len(formulas), 20)
        for path in formulas:
            self.check_syntax("c++", path, "-std=c++17", "-Wno-unused-function", "-I",
                              str(ROOT / "src"))

    def library_symbols(self):
        found = object_symbols("ooze_objects")
        self.assertGreater(len(found), 1000, "no object files found")
        return found

    def test_symbol_prefix(self):
        wrong = []
        for source, name, kind in self.library_symbols():
            if source.endswith(".cu") and (kind in "WVu" or re.match(r"_ZN?K?4ooze", name)):
                continue  # device code: namespace ooze, and what templates leave behind
            if kind not in "Uw" and not name.startswith(("ooze_", "__odr_asan", "__asan")):
                wrong.append(f"{source}: {name}")
        self.assert_none(wrong)
        exported = exported_symbols()
        self.assertIn("ooze_world_step", exported)
        self.assert_none([n for n in exported if not n.startswith("ooze_") and "asan" not in n])

    def test_every_public_function_is_exported(self):
        declared = public_functions()
        self.assertGreater(len(declared), 40)
        self.assert_none(sorted(declared - exported_symbols()))

    def test_every_external_function_has_a_caller(self):
        """One that only tests call is deleted, and so is a function of a header."""
        self.assertEqual(plain_name("_ZN4ooze11running_sumEPNS_7MachineEm"), "running_sum")
        self.assert_none(uncalled() + unused_inline())

    def test_library_never_prints_or_exits(self):
        banned = {"printf", "puts", "putchar", "vprintf", "perror", "exit", "_exit", "abort",
                  "__assert_fail", "system", "rand", "srand", "stdout", "stderr", "signal",
                  "sigaction"}
        self.assert_none([f"{source}: {name}" for source, name, kind in self.library_symbols()
                          if kind == "U" and name in banned])

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
                elif line == "}" and start is not None and path.suffix in CODE:
                    if number - start > 80:
                        wrong.append(f"{path.relative_to(ROOT)}:{start}: "
                                     f"function of {number - start} lines")
                    start = None
        self.assert_none(wrong)

    def test_parameters(self):
        """More than seven belong in a struct."""
        sample = "int f(int a, T<b, c> d); /* g(1) */\nvoid h(void)\n{\n    f(1, 2, 3);\n}\n"
        self.assertEqual(list(functions(sample)), [(1, "f", 2), (2, "h", 0)])
        wrong, seen = many_parameters()
        self.assertGreater(seen, 3000)
        self.assert_none(wrong)

    def test_retired_words(self):
        self.assert_none(retired())

    def test_format(self):
        self.assert_none(long_lines())
        files = [str(p) for p in tracked("*.c", "*.h", "*.cu", "*.cuh")]
        done = subprocess.run(["clang-format-14", "--dry-run", "-Werror", *files],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:2000])

    def test_no_system_path_is_named(self):
        """A test that opens, links or writes a system file by name can damage the machine that it
        runs on."""
        pattern = re.compile(r"[\"'](/(?:etc|usr|var|home|root|boot|opt)/[^\"']*)[\"']")
        allowed = {"/usr/bin/python3"}
        self.assert_none([f"{path.relative_to(ROOT)}: {name}"
                          for path in tracked("src", "tests", "bench")
                          if path.suffix in CODE + (".py",)
                          for name in pattern.findall(path.read_text()) if name not in allowed])

    def test_files_of_the_architecture_page_exist(self):
        """Every file and folder that docs/ARCHITECTURE.md names exists."""
        plan = (ROOT / "docs/ARCHITECTURE.md").read_text()
        named = re.findall(r"`((?:src|tests|include)/[\w/.]*|[a-z]+/[a-z_]+\.[ch])`", plan)
        self.assertGreater(len(named), 20)
        self.assert_none([name for name in named
                          if not (ROOT / name).exists() and not (ROOT / "src" / name).exists()])

    def test_no_intrinsics_outside_the_wide_layer(self):
        for path in tracked("src/*.c", "src/*.h"):
            if path.name != "wide.h":
                for name in includes(path):
                    self.assertNotIn(name, ("arm_neon.h", "immintrin.h", "x86intrin.h"), str(path))


if __name__ == "__main__":
    unittest.main(verbosity=2)
