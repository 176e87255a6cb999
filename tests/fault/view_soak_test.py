"""Memory of `ooze view` stays as it is while pages come and go, change the scene, or never read."""
import pathlib
import tempfile
import time
import unittest

from view_client import Page, Viewer
from view_test import SCENE, has_part

SECONDS = 40

# The C library gives freed memory back at once, so that what is resident is what is held: else it
# comes and goes by 8 MB as worlds are built and freed.
GIVE_BACK = {"MALLOC_MMAP_THRESHOLD_": "16384", "MALLOC_TRIM_THRESHOLD_": "0"}


def resident_kib(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def disturb(viewer, page, gravity, round_):
    """What a page may do in a quarter of a second; in all, more states than undo keeps."""
    page.say(f"set {gravity} {-9.81 + 0.001 * (round_ % 7)}")
    page.say(f"push 0 0.1 0 0.2 0 {0.1 * (round_ % 5)} 0")
    page.say(f"drag solid 1 {0.9 + 0.01 * (round_ % 9)} 0.1 0 0.1")
    if round_ % 3 == 0:
        page.say("undo")
    if round_ % 40 == 39:
        page.say("reset")
    if round_ % 5 == 0:
        page.say("save")
    with Page(viewer) as visitor:
        visitor.wait("frame")


@unittest.skipUnless(has_part(), "this build has no viewer")
class Soak(unittest.TestCase):
    def test_memory_is_flat(self):
        with tempfile.TemporaryDirectory(prefix="ooze-soak-") as folder:
            # the same number of particles all the time, so that memory is that of the server
            scene = pathlib.Path(folder) / "box.yaml"
            scene.write_text(SCENE.replace("speed: 0.4", "speed: 0")
                             .replace("spacing: 0.05", "spacing: 0.025"))
            with Viewer(scene, environment=GIVE_BACK) as viewer, Page(viewer) as page:
                found = self.watch(viewer, page)
        third = len(found) // 3
        # Undo and reset build the world anew beside the old one, so that memory goes up and down by
        # 4 MB; what is kept for good raises the least.
        first, last = min(found[:third]), min(found[-third:])
        print(f"  {SECONDS} s: at least {first} KiB at first, {last} at the end")
        # a frame has 17 KB: keeping one for each visit would add 1.8 MB, all that were made 27 MB
        self.assertLess(last - first, 1024)

    def test_pages_that_never_read_hold_no_copies(self):
        """Sixty of them would hold 4 MB of triangles each."""
        compound = """{name: ball, shape: {type: compound, position: [1, 0.5, 0], parts: [
            {type: cone, radius: 0.4, height: 1.2},
            {type: torus, radius: 0.4, tube_radius: 0.06}]}}"""
        with tempfile.TemporaryDirectory(prefix="ooze-soak-") as folder:
            scene = pathlib.Path(folder) / "box.yaml"
            ball = "{name: ball, shape: {type: sphere, radius: 0.1, position: [1, 0.1, 0]}}"
            self.assertIn(ball, SCENE)
            scene.write_text(SCENE.replace(ball, compound)
                             .replace("spacing: 0.05", "spacing: 0.02"))
            with Viewer(scene) as viewer, Page(viewer) as page:
                size = page.wait("solids")["size"]
                page.wait("frame")
                before = resident_kib(viewer.process)
                others = [Page(viewer) for _ in range(60)]
                page.wait("control", lambda message: message["viewers"] == 61)
                for _ in range(20):
                    page.wait("frame")
                more = resident_kib(viewer.process) - before
                for other in others:
                    other.close()
        print(f"  solids of {size} bytes; 60 pages that never read take {more} KiB")
        self.assertGreater(size, 2 << 20)  # more than the system keeps for a connection
        self.assertLess(1024 * more, 10 * size)

    def watch(self, viewer, page):
        gravity = [p["path"] for p in page.wait("scene")["parameters"]].index("gravity.y")
        page.wait("frame")
        page.say("control")
        # the states of undo are reached before anything is measured
        for round_ in range(12):
            disturb(viewer, page, gravity, round_)
            time.sleep(0.1)
        found, round_, began, deaf = [], 0, time.monotonic(), Page(viewer)
        while time.monotonic() < began + SECONDS:
            disturb(viewer, page, gravity, round_)
            try:
                deaf.say(f"ack {round_}")  # asks for the next frame, and never reads it
            except ConnectionError:  # the server gives up pages that do not answer for minutes
                deaf.close()
                deaf = Page(viewer)
            end = time.monotonic() + 0.25
            while time.monotonic() < end:
                page.wait("frame")
            self.assertTrue(viewer.is_alive())
            found.append(resident_kib(viewer.process))
            round_ += 1
        deaf.close()
        return found


if __name__ == "__main__":
    unittest.main()
