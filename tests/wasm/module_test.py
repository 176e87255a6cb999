"""The WebAssembly build of `make wasm` in Node, against the program of this build. Skipped without
Node, where the module has not been built, and where it is older than the sources."""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["OOZE_BUILD_DIR"])
WASM = ROOT / "build-wasm"
HERE = ROOT / "tests/wasm"
SCENE = HERE / "drop.yaml"


def reason_to_skip():
    sources = [*ROOT.glob("src/**/*.[ch]"), *ROOT.glob("include/**/*.h"), *HERE.glob("*.c")]
    built = WASM / "built"
    if not shutil.which("node"):
        return "there is no Node (package nodejs)"
    if not built.exists():
        return "there is no build-wasm (`make wasm`, which needs Emscripten)"
    newer = [path for path in sources if path.stat().st_mtime > built.stat().st_mtime]
    return f"{newer[0].relative_to(ROOT)} is newer than build-wasm: `make wasm`" if newer else ""


def census(program, steps):
    """The line of JSON, and rows of position and velocity by id."""
    done = subprocess.run([*program, SCENE, str(steps)], text=True, capture_output=True,
                          timeout=240)
    if done.returncode != 0:
        raise AssertionError(done.stderr[:1000])
    head, *lines = done.stdout.splitlines()
    rows = [line.split() for line in lines]
    return json.loads(head), {int(row[0]): [float(word) for word in row[1:]] for row in rows}


def centre(rows):
    return [math.fsum(row[k] for row in rows.values()) / len(rows) for k in range(3)]


class Module(unittest.TestCase):
    def compare(self, steps, of_particles, of_centre):
        """Both bounds are in spacings."""
        native, here = census([BUILD / "tests/census"], steps)
        module, there = census(["node", WASM / "census.js"], steps)
        self.assertEqual((module["particles"], module["steps"], module["time"]),
                         (native["particles"], steps, native["time"]))
        self.assertEqual(here.keys(), there.keys())
        spacing = native["spacing"]
        apart = max(math.dist(here[i][:3], there[i][:3]) for i in here) / spacing
        moved = math.dist(centre(here), centre(there)) / spacing
        print(f"{steps} steps, {len(here)} particles: at most {apart:.2g} spacings apart "
              f"(bound {of_particles:g}), centres {moved:.2g} (bound {of_centre:g}); "
              f"steps per second: {native['steps_per_second']} here, "
              f"{module['steps_per_second']} in Node")
        self.assertLess(apart, of_particles)
        self.assertLess(moved, of_centre)
        return here

    def test_states_agree_with_the_processor(self):
        """WebAssembly has no fused multiply-add, which the innermost loops use elsewhere, and
        another mathematical library: results differ in the last bit of single precision, 1e-7
        spacings after one step. The impact amplifies this, as it would any other rounding (another
        instruction set), for particles that slide past each other; the centre of mass feels only
        the mean."""
        start = self.compare(0, 1e-12, 1e-12)
        self.compare(10, 1e-4, 1e-5)
        end = self.compare(100, 0.05, 1e-3)
        sunk = centre(start)[1] - centre(end)[1]
        print(f"the centre has sunk by {1000 * sunk:.2f} mm")
        self.assertGreater(sunk, 0.005, "a spacing: the drop has met the table and is flatter")

    def test_page_receives_packets_and_handles_messages(self):
        done = subprocess.run(["node", HERE / "packets.mjs", WASM / "ooze_page.js", SCENE],
                              text=True, capture_output=True, timeout=240)
        print(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stderr[:2000])


if __name__ == "__main__":
    why = reason_to_skip()
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main(verbosity=2)
