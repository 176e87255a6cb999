#!/usr/bin/env python3
"""Runs test suites and ends with `N passed, N failed, N skipped`.

core        `make test`: gcc, the build of `make`: the core of every method and interface
release     `make test-all` runs this and the following: the same build, all tests except those of
            device code, on the processor, acceptance tests with their full set-ups
asan        clang, address and undefined-behaviour sanitizers: all files without a warning; unit
            tests, parity with other readers, replays of the fuzz corpora, and acceptance tests
            about memory
fuzz        each fuzz target of the asan build, from its stored corpus, for OOZE_FUZZ_SECONDS of
            a core (default 15)
tsan        clang, thread sanitizer: the tests that use threads
device      device code on the processor: its own tests, its parity with the processor's code, and
            acceptance tests
cuda        the GPU part of the release build, if nvcc works; with a GPU, the tests of device on
            it, and all acceptance tests
OOZE_CUDA=OFF leaves the GPU part out of release. Arguments: the suites to run (default: all but
core)."""
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORES = len(os.sched_getaffinity(0))
CUDA = os.environ.get("OOZE_CUDA") or "AUTO"
# The suites release and device compile the same C files with the same options: once, with ccache.
# Paths are hashed relative to the root, so that another checkout of the same files finds them too.
LAUNCHERS = {f"CMAKE_{language}_COMPILER_LAUNCHER": "ccache" for language in ("C", "CXX")}
if shutil.which("ccache"):
    os.environ.update(LAUNCHERS, CCACHE_BASEDIR=str(ROOT), CCACHE_NOHASHDIR="1")

# Acceptance tests that run with device code compiled for the processor in seconds; ctest refuses
# expressions with many parentheses.
DEVICE_SOME = ("T05_(stiff|form) T06 T08_falling_cube T10_beam T17_c "
               "T19_(free_spin|soft_modulus|exchange) T21 T28 T29 "
               "T40 T41 T44 T46 T49 T50 T51 T7[0-3] T94 T12[1-4]").split()
# On a GPU all acceptance tests take minutes.
DEVICE_GPU = ["-R", "^device_|_T[0-9]|^(parity|ranks)_device$"]
DEVICE = ["-R", "^device_|^(parity|ranks)_device$|^links_T0[14]_|^links_T20_|"
                    "^coupling_(T06|T09|T13)|^blend_T04_|^heat_(T20|T3[23])|"
                    "^springs_(T02|T06|T07|T09|T1[0134])_|^stress_T0[1236]_|"
                    f"^wcsph_T0[13]_|^ballistic_|^conformation_({'|'.join(DEVICE_SOME)})"]

# Long tests, which the release suite runs.
SLOW = ["-E", "^unit_(auto|preset(_drop|_methods)?|no_slip|constraint_formulations|paper_scenes"
              "|links|nozzle|large_solids|boundary_cells|distance_grid|surface_run|rheometer_cell"
              "|velocity_multigrid|grid_multigrid|local_sampling|springs|stretch)$"
              "|^conformation_(T19_threads|T28)|^blend_T2[26]|^stress_T14"
              "|^parity_device$|^unit_(render_(picture|lens|container)|surface_(quality|carried))$"
              "|^conformation_T26_random"]
# A user's check: interfaces, and for each method what it is for.
CORE = ["-R", "^unit_(api|world|world_frame|scene_(parse|errors|schema)|frame_file|run_folder"
              "|export|preset|probe|emitter|sink|solid|shape|mesh|heat|plot|surface|render_picture"
              "|view_session|rheology_fit|threads|lodge_loops|density_loops|neighbours)$"
              "|^conformation_(T01|T02|T05_form|T06|T08_falling_cube|T21|T40|T50|T70|T94)"
              "|^links_T0[149]_|^blend_T0[45]_|^springs_T0[267]_|^cauchy_T0[123]_|^stress_T0[12]_"
              "|^wcsph_T0[13]_|^ballistic_|^heat_T2|^coupling_T0[19]_|^dynamics_T0[12]_"
              "|^docs_|^fault_(command_line|kill|resume)|^python_world|^fuzz_|^browser_view"
              "|^unit_ranks$|^arch_known_gaps"]

CTEST_SUITES = {
    "core": CORE,
    "release": ["-E", "^device_"],
    # Of the acceptance tests only those of memory; release runs the others.
    "asan": ["-R", "^(unit|fuzz|parity|docs|ballistic)_|_T[0-9]+_.*(resume|restore|random)",
             *SLOW],
    "tsan": ["-R", "^unit_(threads|pipeline|frame_copy|particles|grid|neighbour|boundary$|sink"
                   "|probe|world|view_session)|^ballistic_|_T[0-9]+_.*threads|^fault_overlap",
             "-E", "^conformation_T19_threads"],
    "device": DEVICE,
    "cuda": DEVICE_GPU,
}
ENVIRONMENT = {
    "core": {"OOZE_DEVICE": "cpu"},
    "release": {"OOZE_DEVICE": "cpu", "OOZE_FULL": "1"},
    "asan": {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
             "UBSAN_OPTIONS": "print_stacktrace=1"},
    "tsan": {"TSAN_OPTIONS": "halt_on_error=1"},
    # one test per core, each with one thread
    "device": {"OOZE_DEVICE": "cuda", "OMP_NUM_THREADS": "1"},
    "cuda": {"OOZE_DEVICE": "cuda"},
}
# Of suites that do not have the name of their preset.
PRESETS = {"core": "release", "fuzz": "asan", "device": "cuda-on-host", "cuda": "release"}
GAPS = {"known": {}, "closed": {}}  # figures by test and name, in the last suite that ran it
SKIPPED_CASES = []  # of tests that ran: suite, test, case and why
SUITES = ["release", "asan", "fuzz", "tsan", "device", "cuda"]


def preset(suite):
    return PRESETS.get(suite, suite)


def folder(suite):
    return ROOT / ("build" if preset(suite) == "release" else "build-" + preset(suite))


def run_quietly(*command):
    """Returns success and the output; prints the output of a failed command."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        print(done.stdout)
    return done.returncode == 0, done.stdout


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
    except OSError:
        return False


def forget_if_moved(path):
    """CMake refuses a build folder that was configured before its checkout was moved."""
    cache = path / "CMakeCache.txt"
    home = re.search(r"(?m)^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$",
                     cache.read_text() if cache.exists() else "")
    if home and pathlib.Path(home[1]).resolve() != ROOT:
        cache.unlink()
        shutil.rmtree(path / "CMakeFiles", ignore_errors=True)


def configure(suite):
    forget_if_moved(folder(suite))
    settings = []
    if preset(suite) == "release":
        new = not (folder(suite) / "CMakeCache.txt").exists() and not has_gpu()
        # Device code takes minutes to compile: without a GPU core leaves it out.
        settings = ["-DOOZE_CUDA=" + ("OFF" if new and suite == "core" and CUDA == "AUTO"
                                      else CUDA)]
        if new:
            # To check that device code compiles, no machine code is needed: a third of the time.
            settings.append("-DOOZE_CUDA_ARCHITECTURES=90-virtual")
    good, output = run_quietly("cmake", "--preset", preset(suite), *settings)
    if suite in ("core", "release"):
        for line in re.findall(r"(?m)^-- (Part .*)$", output):
            print("  " + line, flush=True)
    return good


def fuzz_targets():
    return sorted(path.stem for path in (ROOT / "tests/fuzz").glob("*_fuzz.c"))


def programs(suite):
    """The programs of the tests of a suite, and the command `ooze`, which scripts run."""
    listed = subprocess.run(["ctest", "--test-dir", folder(suite), "-N", *CTEST_SUITES[suite]],
                            capture_output=True, text=True).stdout
    added = (folder(suite) / "tests/CTestTestfile.cmake").read_text()
    paths = dict(re.findall(r'add_test\(\[=\[(\S+)\]=\] "([^"]+)"', added))
    names = [paths[name] for name in re.findall(r"(?m)^ *Test +#\d+: (\S+)$", listed)]
    return sorted({pathlib.Path(name).name for name in names
                   if name.startswith(str(folder(suite)))} | {"ooze"})


def targets(suite):
    """Build targets of a suite; an empty list: all targets."""
    if suite == "fuzz":
        return fuzz_targets()
    if suite in ("core", "tsan"):
        return programs(suite)
    if suite == "asan":
        return programs(suite) + fuzz_targets() + ["libooze"]
    return {"device": ["device_programs"], "cuda": ["ooze"]}.get(suite, [])


def build(suite, *wanted):
    make = ["cmake", "--build", "--preset", preset(suite), "-j", str(CORES)]
    return run_quietly(*make, *(["--target", *wanted] if wanted else []))[0]


def read_unbuilt(suite):
    """Has the compiler read the files that no target of the suite needs: for its warnings alone."""
    listed = json.loads((folder(suite) / "compile_commands.json").read_text())
    commands = [shlex.split(unit["command"]) for unit in listed]
    unbuilt = [words for words in commands
               if not (folder(suite) / words[words.index("-o") + 1]).exists()]
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        return all(pool.map(lambda words: run_quietly(*words, "-fsyntax-only")[0], unbuilt))


def count_gaps(report):
    """Notes the figures outside their bounds (KNOWN_GAP of tests/check.h) that tests printed."""
    for case in report.iter("testcase"):
        printed = case.findtext("system-out") or ""
        for kind, figure in re.findall(r"(?m)^  (known|closed) gap: (.*)$", printed):
            name, value = figure.rsplit(": ", 1)
            GAPS[kind][f"{case.get('name')}: {name}"] = value


def note_skipped_cases(suite, report):
    """Notes the cases that tests left out: by SKIP_TEST of tests/check.h, or by unittest."""
    for case in report.iter("testcase"):
        printed = case.findtext("system-out") or ""
        left_out = re.findall(r"(?m)^  skipped case: (\w+): (.*)$", printed) + [
            (name, why) for name, _, why in re.findall(
                r"(?m)^(\w+) \([\w.]+\)(?:\n.*)? \.\.\. skipped (['\"])(.*)\2$", printed)]
        if case.get("status") != "notrun":  # what is skipped as a whole is named as a test
            SKIPPED_CASES.extend(f"{suite}: {case.get('name')}: {name}: {why}"
                                 for name, why in left_out)


def run_ctest(suite):
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        subprocess.run(
            ["ctest", "--test-dir", folder(suite), "-j", str(CORES), "--output-on-failure",
             "--timeout", "1500", "--no-tests=error", "--output-junit", report.name,
             "--test-output-size-passed", "100000",
             *CTEST_SUITES[suite]],
            env={**os.environ, **ENVIRONMENT.get(suite, {})}, cwd=ROOT)
        try:
            top = ElementTree.parse(report.name).getroot()
        except ElementTree.ParseError:
            return 0, 1, 0
    total, failed = int(top.get("tests", 0)), int(top.get("failures", 0))
    absent = [case for case in top.iter("testcase") if case.get("status") in ("notrun", "disabled")]
    skipped = [case.get("name") for case in absent
               if "SKIP_RETURN_CODE" in ElementTree.tostring(case, "unicode")]
    if skipped:  # for what is missing on this machine; each has said so
        print(f"== {suite}: skipped: {', '.join(skipped)}")
    count_gaps(top)
    note_skipped_cases(suite, top)
    if total == 0 or len(absent) > len(skipped):
        failed += 1  # a suite without tests, or with tests that did not run, fails
    return max(total - failed - len(skipped), 0), failed, len(skipped)


def fuzz(name, seconds):
    corpus = ROOT / "tests/fuzz/corpus" / name.removesuffix("_fuzz")
    scratch = tempfile.mkdtemp(prefix="ooze-fuzz-")
    return subprocess.Popen(
        [folder("fuzz") / "tests" / name, f"-max_total_time={seconds}", "-rss_limit_mb=3000",
         "-timeout=20", "-print_final_stats=1", f"-artifact_prefix={scratch}/", scratch, corpus],
        cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run_fuzz(_suite):
    """Runs all targets at once, so long that each gets its seconds of a core."""
    names = fuzz_targets()
    seconds = int(os.environ.get("OOZE_FUZZ_SECONDS", "15"))
    seconds = seconds * max(len(names), CORES) // CORES
    failed = 0
    for name, process in [(name, fuzz(name, seconds)) for name in names]:
        output = process.communicate()[0]
        runs = re.search(r"number_of_executed_units: (\d+)", output)
        if process.returncode == 0 and runs:
            print(f"  {name}: {runs[1]} inputs in {seconds} s, no finding")
        else:
            failed += 1
            print(f"  {name}: FAILED\n" + "\n".join(output.splitlines()[-60:]))
    return len(names) - failed, failed, 0


def run_cuda(suite):
    """Asks the command whether the GPU part is built in; runs tests if there is a GPU."""
    done = subprocess.run([folder(suite) / "ooze", "version"], capture_output=True, text=True)
    said = re.search(r"(?m)^ *cuda +(yes|no) .*$", done.stdout)
    if done.returncode or not said:
        print(done.stdout + done.stderr)
        return 0, 1, 0
    print("  " + said[0].strip(), flush=True)
    if said[1] == "no":
        return 0, 0, 1
    if "no GPU" in said[0]:
        return 1, 0, 1  # its tests
    if not build(suite, "device_programs"):
        return 1, 1, 0
    passed, failed, skipped = run_ctest(suite)
    return passed + 1, failed, skipped


RUNNERS = {"fuzz": run_fuzz, "cuda": run_cuda}


def processor_seconds():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def run_suite(suite):
    start, before = time.monotonic(), processor_seconds()
    print(f"== {suite}", flush=True)
    built = configure(suite) and build(suite, *targets(suite))
    if suite == "asan":
        built = built and read_unbuilt(suite)
    building = processor_seconds() - before
    if built:
        passed, failed, skipped = RUNNERS.get(suite, run_ctest)(suite)
    else:
        passed, failed, skipped = 0, 1, 0
        print(f"{suite}: the build failed")
    print(f"== {suite}: {passed} passed, {failed} failed, {skipped} skipped "
          f"in {time.monotonic() - start:.0f} s; "
          f"processor: {building:.0f} s to build, "
          f"{processor_seconds() - before - building:.0f} s to test", flush=True)
    return passed, failed, skipped


def main():
    start = time.monotonic()
    results = [run_suite(suite) for suite in sys.argv[1:] or SUITES]
    passed, failed, skipped = (sum(column) for column in zip(*results))
    for name in SKIPPED_CASES:
        print(f"skipped case: {name}")
    print(f"skipped cases: {len(SKIPPED_CASES)}")
    for name, value in sorted(GAPS["closed"].items()):
        print(f"closed gap, to be held to its bound: {name}: {value}")
    print(f"known gaps: {len(GAPS['known'])} (docs/known-gaps.md)")
    print(f"in {time.monotonic() - start:.0f} s; processor: {processor_seconds():.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
