"""The server of `ooze view`: which requests it refuses, and that a page that misbehaves harms no
other page and not the simulation."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

from view_client import BUILD, ROOT, TOKEN, Page, Viewer

SCENE = """
ooze: 2
title: A box of honey
method: {name: springs}
spacing: 0.05
time_step: 1/240
duration: 2
frame_rate: 60
materials: {honey: {density: 1000}}
fluids: [{material: honey, shape: {type: box, size: [0.3, 0.3, 0.3], position: [0, 0.4, 0]}}]
solids: [{name: floor, shape: {type: plane}},
         {name: ball, shape: {type: sphere, radius: 0.1, position: [1, 0.1, 0]}}]
emitters: [{name: jet, material: honey, radius: 0.06, speed: 0.4, position: [0, 1, 0]}]
probes: [{kind: height}]
"""
PARTS = subprocess.run([BUILD / "ooze", "version"], text=True, capture_output=True,
                       check=True).stdout


def has_part():
    return any(line.split()[:2] == ["view", "yes"] for line in PARTS.splitlines())


def setUpModule():
    global folder, scene
    folder = tempfile.TemporaryDirectory(prefix="ooze-view-")
    scene = pathlib.Path(folder.name) / "box.yaml"
    scene.write_text(SCENE)


def tearDownModule():
    folder.cleanup()


class Absent(unittest.TestCase):
    @unittest.skipIf(has_part(), "this build has the viewer")
    def test_a_build_without_it_says_so_in_one_sentence(self):
        done = subprocess.run([BUILD / "ooze", "view", scene], text=True, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no viewer", done.stderr)


@unittest.skipUnless(has_part(), "this build has no viewer")
class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.viewer = Viewer(scene)

    @classmethod
    def tearDownClass(cls):
        cls.viewer.stop()

    def tearDown(self):
        """Whatever a test did, the simulation goes on and a new page is served."""
        self.assertTrue(self.viewer.is_alive())
        with Page(self.viewer) as page:
            step = page.wait("frame")["step"]
            page.say("control")
            page.wait("control", lambda message: message["you"])
            page.say("play")
            page.wait("frame", lambda frame: frame["step"] > step)

    # ---- requests --------------------------------------------------------------------------

    def test_only_the_own_host_is_answered(self):
        for host in ("evil.example", f"evil.example:{self.viewer.port}", "127.0.0.1", "",
                     f"127.0.0.1:{self.viewer.port + 1}", f"127.0.0.1:{self.viewer.port}.evil"):
            self.assertNotIn(self.viewer.get("/", host=host or " ")[0], (101, 200), host)
            with Page(self.viewer, host=host or " ") as page:
                self.assertNotEqual(page.status, 101, host)

    def test_only_the_own_page_connects(self):
        port = self.viewer.port
        for origin in (None, "null", "http://evil.example", f"https://127.0.0.1:{port}",
                       f"http://localhost:{port}", f"http://127.0.0.1:{port}/",
                       f"http://127.0.0.1:{port}.evil.example", "http://127.0.0.1"):
            with Page(self.viewer, origin=origin) as page:
                self.assertNotEqual(page.status, 101, origin)
        with Page(self.viewer, host=f"localhost:{port}", origin=f"http://localhost:{port}") as page:
            self.assertEqual(page.status, 101)

    def test_no_path_leaves_the_table(self):
        for path in ("/../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/scene.yaml",
                     "/app.js/", "/app.js%00", "/./app.js/../x", "/" + "a" * 3000):
            self.assertNotIn(self.viewer.get(path)[0], (101, 200), path)
        self.assertNotEqual(self.viewer.get("/", method="POST")[0], 200)

    def test_the_page_is_guarded(self):
        status, body, head = self.viewer.get("/")
        if "without its page" in PARTS:
            self.assertEqual(status, 404)
            self.skipTest("this build has no page")
        self.assertEqual((status, body[:2]), (200, b"\x1f\x8b"))
        self.assertIn("content-security-policy: default-src 'none'", head)
        self.assertIn("frame-ancestors 'none'", head)
        self.assertIn("x-content-type-options: nosniff", head)
        self.assertEqual(self.viewer.get("/app.js")[0], 200)

    def test_head_has_the_headers_alone(self):
        for path in ("/", "/app.js", "/nothing"):
            status, body, head = self.viewer.get(path, method="HEAD")
            got, whole, wanted = self.viewer.get(path)
            self.assertEqual((status, body), (got, b""), path)
            if status == 200:
                self.assertEqual(head, wanted)
                self.assertIn(f"content-length: {len(whole)}\r\n", head)
        self.assertEqual(self.viewer.get("/", host="evil.example", method="HEAD")[:2], (403, b""))

    # ---- connections -----------------------------------------------------------------------

    def test_without_the_token_a_page_learns_nothing(self):
        for first in (None, "play", "hello", f"hello {TOKEN[:-1]}0", f"hello {TOKEN}0"):
            with Page(self.viewer, token=None) as page:
                self.assertEqual(page.status, 101)
                began = time.monotonic()
                if first:
                    page.say(first)
                kinds = []
                try:
                    while 8 not in kinds:
                        kinds.append(page.receive()[0])
                except ConnectionError:
                    pass
                self.assertLess(time.monotonic() - began, 10)  # 5 s for a page that is silent
                self.assertLessEqual(set(kinds), {8}, first)

    def test_what_is_no_message_ends_its_connection_only(self):
        for opcode, payload in ((1, b"dance"), (1, b"play "), (1, b""), (1, b"ack nan"),
                                (1, b"set 1"), (1, b"x" * 1025), (1, b"\xff\xfe"),
                                (2, b"play"), (2, os.urandom(500)), (1, b"a" * 200000)):
            with Page(self.viewer) as watcher, Page(self.viewer) as page:
                page.wait("scene")
                try:
                    page.send(opcode, payload)
                except ConnectionError:
                    pass
                page.closing_code()  # returns, as the connection ends
                watcher.wait("frame")

    def test_a_message_in_fragments_has_the_same_limits(self):
        with Page(self.viewer) as page:
            page.send(1, b"ac", final=False)
            page.send(0, b"k 1")
            page.wait("state")
            for _ in range(40):
                try:
                    page.send(0 if _ else 1, b"a" * 100, final=False)
                except ConnectionError:
                    break
            page.closing_code()

    def test_truncated_and_broken_streams(self):
        for data in (b"\x81", b"\x81\xfe\x00", b"\xff" * 200, os.urandom(4000), b"\x88\x00"):
            with Page(self.viewer) as page:
                page.wait("scene")
                page.wire.sendall(data)
        for data in (b"GET / HT", os.urandom(2000), b"\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x" * 500):
            with socket.create_connection(("127.0.0.1", self.viewer.port), 10) as wire:
                wire.sendall(data)

    def test_too_many_messages_end_the_connection(self):
        with Page(self.viewer) as page:
            page.wait("scene")
            try:
                for _ in range(3000):
                    page.say("ack 1")
            except ConnectionError:
                pass
            page.closing_code()

    def test_two_hundred_connections(self):
        pages = []
        try:
            for _ in range(200):
                pages.append(Page(self.viewer))
            served = 0
            for page in pages:
                try:
                    served += page.status == 101 and page.wait("scene")["type"] == "scene"
                except (ConnectionError, OSError):
                    pass
            self.assertGreaterEqual(served, 32)
            self.assertLessEqual(served, 64)
        finally:
            for page in pages:
                page.close()
        time.sleep(0.3)

    def test_a_page_that_never_reads_holds_up_no_other(self):
        with Page(self.viewer) as deaf, Page(self.viewer) as page:
            for i in range(200):
                deaf.say(f"ack {i}")
            before = page.wait("frame")["step"]
            began = time.monotonic()
            for _ in range(15):
                frame = page.wait("frame")
            self.assertLess(time.monotonic() - began, 5)
            self.assertGreater(frame["step"], before)

    # ---- control ---------------------------------------------------------------------------

    def test_one_page_is_in_control(self):
        with Page(self.viewer) as first, Page(self.viewer) as second:
            first.wait("control", lambda message: message["viewers"] == 2)
            second.wait("control", lambda message: message["viewers"] == 2 and not message["you"])
            second.say("pause")
            first.wait("frame")
            self.assertTrue(first.wait("state")["playing"])
            second.say("control")
            second.wait("control", lambda message: message["you"])
            first.wait("control", lambda message: not message["you"])
            second.say("pause")
            second.wait("state", lambda state: not state["playing"])
            second.say("play")
            second.close()
            first.wait("control", lambda message: message["you"])  # it passes on

    def test_changes_drags_and_a_saved_scene(self):
        with Page(self.viewer) as page:
            described = page.wait("scene")
            page.say("control")
            page.say("reset")
            paths = [parameter["path"] for parameter in described["parameters"]]
            gravity = paths.index("gravity.y")
            page.wait("state", lambda state: state["step"] > 40)
            page.say(f"set {gravity} 2.5")
            page.wait("state", lambda state: state["values"][gravity] == 2.5)
            page.say("drag solid 1 0 0.3 0 0.1")
            page.wait("frame", lambda frame: abs(frame["poses"][1][1] - 0.3) < 1e-5)
            page.say("push 0 0.3 0 0.3 0 0 1")
            state = page.wait("state", lambda state: state["rows"] == 5)
            self.assertEqual(state["undo"], 3)
            page.say("set 0 -1e30")
            page.wait("notice")
            page.say("pause")
            page.say("save")
            saved = page.wait("saved")
            page.say("undo")
            page.wait("state", lambda state: state["rows"] == 4)
            page.say("reset")
            page.wait("state", lambda state: state["rows"] == 0 and state["step"] == 0)
            page.say("play")
        self.check_saved(saved)

    def check_saved(self, saved):
        """`ooze run` of the saved scene ends with the hash that the page was told."""
        path = pathlib.Path(folder.name) / "saved.yaml"
        path.write_text(saved["yaml"])
        run = pathlib.Path(folder.name) / "run"
        environment = os.environ | {"OOZE_DEVICE": "cpu"}
        subprocess.run([BUILD / "ooze", "run", path, "-o", run, "-q", "--threads", "1"], check=True,
                       env=environment, capture_output=True)
        done = subprocess.run([BUILD / "ooze", "info", run, "--hash"], check=True, text=True,
                              capture_output=True)
        self.assertIn(saved["hash"], done.stdout)
        self.check_playback(run)

    def check_playback(self, run):
        with Viewer(run) as viewer, Page(viewer) as page:
            described = page.wait("scene")
            self.assertFalse(described["live"])
            page.say("pause")
            page.say("seek 3")
            third = page.wait("state", lambda state: state["frame"] == 3 and not state["playing"])
            self.assertEqual(third["step"], 12)
            page.say("seek 100000")
            page.wait("state", lambda state: state["frame"] == described["frames"] - 1)
            page.say("play")
            page.wait("state", lambda state: 0 < state["frame"] < 5)  # it loops

    def test_the_field_of_the_colours(self):
        with Page(self.viewer) as page:
            page.say("control")
            page.say("reset")
            page.say("field density")
            page.wait("state", lambda state: state["field"] == "density" and state["step"] > 2)
            low, high = page.wait("frame")["field"]
            self.assertTrue(0 < low < 0.9 < high < 2, (low, high))  # corners and middle of a box
            page.say("field speed")
            page.wait("state", lambda state: state["field"] == "speed" and state["step"] > 48)
            self.assertGreater(page.wait("frame")["field"][1], 0.3)  # after 0.2 s of falling

    def test_the_scene_is_chosen_by_number_only(self):
        with Page(self.viewer) as page:
            self.assertIn("box", [entry["name"] for entry in page.wait("scene")["scenes"]])
            page.say("control")
            for number in ("99999", "-1"):
                page.say(f"open {number}")
                self.assertIn("no such scene", page.wait("notice")["text"])


@unittest.skipUnless(has_part(), "this build has no viewer")
class Beginning(unittest.TestCase):
    def refused(self, *arguments, token=TOKEN):
        done = subprocess.run([BUILD / "ooze", "view", *arguments, "--no-browser"], text=True,
                              capture_output=True, timeout=20,
                              env=os.environ | {"OOZE_VIEW_TOKEN": token})
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_mistakes_are_told(self):
        self.assertIn("nothing.yaml", self.refused("/nothing.yaml"))
        self.assertIn("hexadecimal", self.refused(scene, token="short"))
        with Viewer(scene) as viewer:
            self.assertIn("port", self.refused(scene, "--port", str(viewer.port)))

    def test_live_scenes_have_no_errors(self):
        scenes = sorted((ROOT / "scenes/live").glob("*.yaml"))
        self.assertGreaterEqual(len(scenes), 5)
        for path in scenes:
            done = subprocess.run([BUILD / "ooze", "check", path], text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_other_machines_need_the_name_that_was_given(self):
        with Viewer(scene, "--listen", "127.0.0.1") as viewer, Page(viewer) as page:
            self.assertEqual(page.wait("scene")["title"], "A box of honey")
            with Page(viewer, host=f"localhost:{viewer.port}",
                      origin=f"http://localhost:{viewer.port}") as other:
                self.assertNotEqual(other.status, 101)  # only the name that was given

    def test_the_page_connects_again_to_a_new_program(self):
        first = Viewer(scene)
        port = first.port
        first.process.kill()
        first.stop()
        with Viewer(scene, port=port) as second, Page(second) as page:
            self.assertEqual(json.dumps(page.wait("scene")["title"]), '"A box of honey"')


if __name__ == "__main__":
    unittest.main()
