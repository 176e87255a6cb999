#!/usr/bin/env python3
"""Runs every test suite and ends with `N passed, N failed`.

release     gcc, the build of `make`: all tests except those of device code, on the processor
asan        clang, address and undefined-behaviour sanitizers: builds everything without a warning;
            unit tests, parity with other readers, replays of the fuzz corpora, and acceptance
            tests about memory
fuzz        each fuzz target of the asan build, from its stored corpus, for OOZE_FUZZ_SECONDS of
            a core (default 15; 300 with OOZE_FULL)
tsan        clang, thread sanitizer: the tests that use threads
device      device code on the processor: its own tests, its parity with the processor's code, and
            acceptance tests
cuda        the GPU part of the release build, if nvcc works; with a GPU, the tests of device on
            it, and all acceptance tests
OOZE_FULL=1 runs the full parameter sweeps of tests that have them; OOZE_CUDA=OFF leaves the GPU
part out of release. Arguments: the suites to run (default: all)."""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORES = len(os.sched_getaffinity(0))
FULL = os.environ.get("OOZE_FULL") == "1"
CUDA = os.environ.get("OOZE_CUDA") or "AUTO"
# The suites release and device compile the same C files with the same options: once, with ccache.
LAUNCHERS = {f"CMAKE_{language}_COMPILER_LAUNCHER": "ccache" for language in ("C", "CXX")}
if shutil.which("ccache"):
    os.environ.update(LAUNCHERS)

# Acceptance tests that run with device code compiled for the processor in seconds; ctest refuses
# expressions with many parentheses.
DEVICE_SOME = ("T05_(stiff|form) T06 T08_falling_cube T10_beam T17_[cd] "
               "T19_(free_spin|soft_modulus|exchange) T21 T28 T29 T33_(moving|shrink) "
               "T40 T41 T44 T46 T49 T50 T51 T7[0-3] T81_rest T82 T94 T12[1-4]").split()
# The others compare with methods that run on the processor alone.
DEVICE_LINKS = "^links_(T01|T02|T04|T05|T09|T10|T11|T12|T13|T14|T15|T16|T18|T20)_"
DEVICE_HEAT = "^heat_"
# Those of the processor's memory (wcsph T08) and of its time (stress T13) are left out.
DEVICE_BASELINES = "^springs_(T0|T1[0-7])|^stress_(T0|T1[45])|^wcsph_T0[1-7]_|^ballistic_"
DEVICE_ALL = ["-R", "^(device|conformation|coupling)_|^(parity|ranks)_device$|"
                    f"{DEVICE_LINKS}|{DEVICE_HEAT}|{DEVICE_BASELINES}"]
# On a GPU all acceptance tests take minutes.
DEVICE_GPU = ["-R", "^device_|_T[0-9]|^(parity|ranks)_device$"]
DEVICE_FEW = ["-R", "^device_|^(parity|ranks)_device$|^links_T0[14]_|^links_T20_|"
                    "^coupling_(T06|T09|T13)|^blend_T04_|^heat_(T20|T3[23])|"
                    "^springs_(T02|T06|T07|T09|T1[0134])_|^springs_T12_momentum|^stress_T0[1236]_|"
                    f"^wcsph_T0[13]_|^ballistic_|^conformation_({'|'.join(DEVICE_SOME)})"]

# Long tests, which the release suite runs.
SLOW = ["-E", "^unit_(auto|preset_drop|constraint_formulations|paper_scenes|links|nozzle"
              "|large_solids|boundary_cells|distance_grid|surface_run|rheometer_cell"
              "|velocity_multigrid|grid_multigrid|local_sampling|springs|stretch)$"
              "|^conformation_(T19_threads|T28)|^blend_T2[26]|^stress_T14"
              "|^parity_device$|^unit_(render_(picture|lens|container)|surface_(quality|carried))$"
              "|^conformation_T26_random"]
# Tests of some quarter of a minute and more of the processor, which only `make test-full` runs.
LONG = ("conformation_T92_waffles conformation_T100_heap conformation_T91_rope "
        "links_T03_comparator cauchy_T28_thinning blend_T07_cubes conformation_T27_threads "
        "stress_T14_threads_and_restore cauchy_T10_stretch conformation_T93_blocks "
        "blend_T21_threads cauchy_T21_threads coupling_T13_links_threads_and_resume "
        "links_T16_coil rheometer_T04_carreau conformation_T11_palette "
        "conformation_T53_herschel_bulkley conformation_T10_velocity_only blend_T10_pool "
        "conformation_T31_cream conformation_T120_paste rheometer_T05_yield "
        "conformation_T23_numerical").split()

CTEST_SUITES = {
    "release": ["-E", "^device_" if FULL else f"^device_|^({'|'.join(LONG)})$"],
    # Of the acceptance tests only those of memory; release runs the others.
    "asan": ["-R", "^(unit|fuzz|parity|docs|ballistic)_|_T[0-9]+_.*(resume|restore|random)",
             *([] if FULL else SLOW)],
    "tsan": ["-R", "^unit_(threads|pipeline|frame_copy|particles|grid|neighbour|boundary$|sink"
                   "|probe|world|view_session)|^ballistic_|_T[0-9]+_.*threads|^fault_overlap",
             *([] if FULL else ["-E", "^conformation_T19_threads"])],
    "device": DEVICE_ALL if FULL else DEVICE_FEW,
    "cuda": DEVICE_GPU,
}
ENVIRONMENT = {
    "release": {"OOZE_DEVICE": "cpu"},
    "asan": {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
             "UBSAN_OPTIONS": "print_stacktrace=1"},
    "tsan": {"TSAN_OPTIONS": "halt_on_error=1"},
    # one test per core, each with one thread
    "device": {"OOZE_DEVICE": "cuda", "OMP_NUM_THREADS": "1"},
    "cuda": {"OOZE_DEVICE": "cuda"},
}
PRESETS = {"fuzz": "asan", "device": "cuda-on-host", "cuda": "release"}  # else the suite's name
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


def configure(suite):
    settings = []
    if preset(suite) == "release":
        settings = ["-DOOZE_CUDA=" + CUDA]
        if not FULL and not (folder(suite) / "CMakeCache.txt").exists() and not has_gpu():
            # One architecture is enough to check that device code compiles.
            settings.append("-DOOZE_CUDA_ARCHITECTURES=90")
    good, output = run_quietly("cmake", "--preset", preset(suite), *settings)
    if suite == "release":
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
    if suite == "tsan":
        return programs(suite)
    return {"device": ["device_programs"], "cuda": ["ooze"]}.get(suite, [])


def build(suite, *wanted):
    make = ["cmake", "--build", "--preset", preset(suite), "-j", str(CORES)]
    return run_quietly(*make, *(["--target", *wanted] if wanted else []))[0]


def run_ctest(suite):
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        subprocess.run(
            ["ctest", "--test-dir", folder(suite), "-j", str(CORES), "--output-on-failure",
             "--timeout", "1500", "--no-tests=error", "--output-junit", report.name,
             *CTEST_SUITES[suite]],
            env={**os.environ, **ENVIRONMENT.get(suite, {})}, cwd=ROOT)
        try:
            top = ElementTree.parse(report.name).getroot()
        except ElementTree.ParseError:
            return 0, 1
    total, failed = int(top.get("tests", 0)), int(top.get("failures", 0))
    absent = [case for case in top.iter("testcase") if case.get("status") in ("notrun", "disabled")]
    skipped = [case.get("name") for case in absent
               if "SKIP_RETURN_CODE" in ElementTree.tostring(case, "unicode")]
    if suite == "release" and not FULL:
        print(f"== {suite}: left to make test-full: {', '.join(LONG)}")
    if skipped:  # for what is missing on this machine; each has said so
        print(f"== {suite}: skipped: {', '.join(skipped)}")
    if total == 0 or len(absent) > len(skipped):
        failed += 1  # a suite without tests, or with tests that did not run, fails
    return max(total - failed - len(skipped), 0), failed


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
    seconds = int(os.environ.get("OOZE_FUZZ_SECONDS", "300" if FULL else "15"))
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
    return len(names) - failed, failed


def run_cuda(suite):
    """Asks the command whether the GPU part is built in; runs tests if there is a GPU."""
    done = subprocess.run([folder(suite) / "ooze", "version"], capture_output=True, text=True)
    said = re.search(r"(?m)^ *cuda +(yes|no) .*$", done.stdout)
    if done.returncode or not said:
        print(done.stdout + done.stderr)
        return 0, 1
    print("  " + said[0].strip(), flush=True)
    if said[1] == "no":
        return 0, 0
    if "no GPU" in said[0]:
        return 1, 0
    if not build(suite, "device_programs"):
        return 1, 1
    passed, failed = run_ctest(suite)
    return passed + 1, failed


RUNNERS = {"fuzz": run_fuzz, "cuda": run_cuda}


def processor_seconds():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def run_suite(suite):
    start, before = time.monotonic(), processor_seconds()
    print(f"== {suite}", flush=True)
    built = configure(suite) and build(suite, *targets(suite))
    building = processor_seconds() - before
    if built:
        passed, failed = RUNNERS.get(suite, run_ctest)(suite)
    else:
        passed, failed = 0, 1
        print(f"{suite}: the build failed")
    print(f"== {suite}: {passed} passed, {failed} failed in {time.monotonic() - start:.0f} s; "
          f"processor: {building:.0f} s to build, "
          f"{processor_seconds() - before - building:.0f} s to test", flush=True)
    return passed, failed


def main():
    start = time.monotonic()
    results = [run_suite(suite) for suite in sys.argv[1:] or SUITES]
    passed, failed = (sum(column) for column in zip(*results))
    print(f"in {time.monotonic() - start:.0f} s; processor: {processor_seconds():.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
