#!/usr/bin/env python3
"""Runs every test suite and ends with `N passed, N failed`.

release     gcc, all tests
clang       builds without a warning, unit tests
asan        address and undefined-behaviour sanitizers, all tests that run our own code
tsan        clang's thread sanitizer, the tests that use threads
fuzz        each fuzz target for OOZE_FUZZ_SECONDS (25, whole sweeps 300) from its kept corpus
device      device code on the processor: its own tests, its parity with the processor's code, and acceptance tests
cuda        builds, wherever nvcc is found; where there is a GPU too, the same tests as device on it, and all acceptance
            tests
mpi         builds and says so, wherever mpicc is found
OOZE_FULL=1 lets the tests that know it run their whole sweeps.
Arguments: the suites to run (all when none is given)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORES = len(os.sched_getaffinity(0))

FULL = os.environ.get("OOZE_FULL") == "1"

# Acceptance tests with steps taken by device code: those that take seconds on the processor.
DEVICE_SOME = ("T05 T06 T08_falling_cube T10 T17_column T19_(free_spin|soft_modulus|exchange) T21 T28 T29 T33_(moving|shrink) "
               "T40 T41 T43 T44 T46 T49 T50 T51").split()
DEVICE_ALL = ["-R", "^(device|conformation)_|^parity_device$"]
DEVICE_FEW = ["-R", "^device_|^parity_device$|^conformation_(" + "|".join(DEVICE_SOME) + ")"]

# Whole scenes, which the release suite runs with the same code.
SLOW = [] if FULL else ["-E", "^unit_(auto|preset_drop|constraint_formulations|paper_scenes)$|^parity_device$"]

CTEST_SUITES = {
    "release": [],
    "clang": ["-R", "^unit_", *SLOW],
    # Of the physics, what touches memory and threads in every way; the figures are the release suite's.
    "asan": ["-R", "^(unit|fuzz|parity|docs|ballistic)_|_T[0-9]+_.*(threads|resume|restore|random)",
             *SLOW],
    "device": DEVICE_ALL if FULL else DEVICE_FEW,
    "cuda": DEVICE_ALL,
    "tsan": ["-R", "^unit_(threads|pipeline|frame_copy|particles|grid|neighbour|boundary|sink|probe|world)|^ballistic_|_T[0-9]+_.*threads|^fault_overlap"],
}
ENVIRONMENT = {
    "asan": {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1", "UBSAN_OPTIONS": "print_stacktrace=1"},
    "tsan": {"TSAN_OPTIONS": "halt_on_error=1"},
    # one test a core, and each on its own
    "device": {"OOZE_DEVICE": "cuda", "OMP_NUM_THREADS": "1"},
    "cuda": {"OOZE_DEVICE": "cuda"},
}
PRESETS = {"device": "cuda-on-host"}  # where it is not the suite's name
# One kind of GPU is enough to see that device code compiles: the machine's own, or a late one.
SETTINGS = {"cuda": [] if FULL else ["-DOOZE_CUDA_ARCHITECTURES=" + ("native" if shutil.which("nvidia-smi") else "90")]}
TARGETS = {"device": "device_programs", "cuda": "ooze", "mpi": "ooze"}  # where not all is looked at


def build(suite, target=None):
    preset = PRESETS.get(suite, suite)
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    make = ["cmake", "--build", "--preset", preset, "-j", str(CORES)]
    target = target or TARGETS.get(suite)
    if target:
        make += ["--target", target]
    for command in (["cmake", "--preset", preset, *SETTINGS.get(suite, [])], make):
        done = subprocess.run(command, cwd=ROOT, **quiet)
        if done.returncode:
            print(done.stdout)
            return False
    return True


def folder(suite):
    return ROOT / ("build" if suite == "release" else "build-" + PRESETS.get(suite, suite))


def run_ctest(suite):
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        subprocess.run(
            ["ctest", "--test-dir", str(folder(suite)), "-j", str(CORES), "--output-on-failure", "--timeout", "1500",
             "--no-tests=error", "--output-junit", report.name, *CTEST_SUITES[suite]],
            env={**os.environ, **ENVIRONMENT.get(suite, {})}, cwd=ROOT)
        try:
            top = ElementTree.parse(report.name).getroot()
        except ElementTree.ParseError:
            return 0, 1
    total, failed = int(top.get("tests", 0)), int(top.get("failures", 0))
    absent = int(top.get("disabled", 0)) + int(top.get("skipped", 0))
    if total == 0 or absent:
        failed += 1  # a suite without tests, or with tests that did not run, has not passed
    return max(total - failed, 0), failed


def fuzz(name, seconds):
    corpus = ROOT / "tests/fuzz/corpus" / name.removesuffix("_fuzz")
    scratch = tempfile.mkdtemp(prefix="ooze-fuzz-")
    return subprocess.Popen(
        [str(folder("fuzz") / "tests" / name), f"-max_total_time={seconds}", "-rss_limit_mb=3000", "-timeout=20",
         "-print_final_stats=1", f"-artifact_prefix={scratch}/", scratch, str(corpus)],
        cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run_fuzz(_suite):
    seconds = int(os.environ.get("OOZE_FUZZ_SECONDS", "300" if FULL else "25"))
    names = sorted(path.stem for path in (ROOT / "tests/fuzz").glob("*_fuzz.c"))
    passed = failed = 0
    for start in range(0, len(names), CORES):
        running = [(name, fuzz(name, seconds)) for name in names[start:start + CORES]]
        for name, process in running:
            output, _ = process.communicate()
            runs = next((line.split()[-1] for line in output.splitlines() if "number_of_executed_units" in line), "?")
            if process.returncode == 0 and runs != "?":
                passed += 1
                print(f"  {name}: {runs} inputs in {seconds} s, no finding")
            else:
                failed += 1
                print(f"  {name}: FAILED\n" + "\n".join(output.splitlines()[-60:]))
    return passed, failed


def run_part(suite):
    """An optional part must be in the program that was built for it."""
    done = subprocess.run([str(folder(suite) / "ooze"), "version"], capture_output=True, text=True)
    said = [line for line in done.stdout.splitlines() if line.split()[:1] == [suite]]
    print("  " + (said[0].strip() if said else f"`ooze version` says nothing of {suite}"))
    return (1, 0) if done.returncode == 0 and said and said[0].split()[1] == "yes" else (0, 1)


def run_cuda(suite):
    """Where there is a GPU, tests run on it."""
    passed, failed = run_part(suite)
    said = subprocess.run([str(folder(suite) / "ooze"), "version"], capture_output=True, text=True).stdout
    if failed or "no GPU" in said:
        return passed, failed
    if not build(suite, "device_programs"):
        return passed, failed + 1
    more_passed, more_failed = run_ctest(suite)
    return passed + more_passed, failed + more_failed


def found_parts():
    os.environ["PATH"] += ":/usr/local/cuda/bin"
    return [part for part, tool in (("cuda", "nvcc"), ("mpi", "mpicc")) if shutil.which(tool)]


RUNNERS = {"fuzz": run_fuzz, "cuda": run_cuda, "mpi": run_part}


def main():
    suites = sys.argv[1:] or ["release", "clang", "asan", "tsan", "fuzz", "device", *found_parts()]
    passed = failed = 0
    for suite in suites:
        start = time.monotonic()
        print(f"== {suite}", flush=True)
        if build(suite):
            more_passed, more_failed = RUNNERS.get(suite, run_ctest)(suite)
        else:
            more_passed, more_failed = 0, 1
            print(f"{suite}: the build failed")
        passed, failed = passed + more_passed, failed + more_failed
        print(f"== {suite}: {more_passed} passed, {more_failed} failed in {time.monotonic() - start:.0f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
