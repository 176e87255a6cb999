"""NULL, NaN, wrong ids and names, closed objects and damaged files raise an ooze.Error with a
message and a hint. None of them ends the process."""
import copy
import ctypes
import inspect
import math
import multiprocessing
import pickle
import subprocess
import sys
import unittest

from support import SCENE, PackageTest, empty_world, ooze

from ooze import c
from ooze.errors import BY_STATUS

NAN = float("nan")


def hash_after_steps(scene):
    """Also for processes that a scene is sent to."""
    with scene.world(threads=1) as world:
        world.step(3)
        return world.hash()


class Errors(PackageTest):
    def check(self, kind, call, part=""):
        with self.assertRaises(kind) as caught:
            call()
        error = caught.exception
        self.assertIsInstance(error, ooze.Error)
        self.assertTrue(error.message)
        self.assertTrue(error.hint, error.message)
        self.assertIn(part, error.message)
        self.assertIn(error.hint, str(error))
        return error

    def test_every_status_has_its_exception(self):
        statuses = [s for s in c.OozeStatus if s.name not in ("OOZE_OK", "OOZE_STATUS_COUNT")]
        self.assertEqual(sorted(BY_STATUS), sorted(map(int, statuses)))
        for status in statuses:
            kind, name = BY_STATUS[status], status.name.removeprefix("OOZE_ERROR_").lower()
            kind_name = kind.__name__.lower().removeprefix("outof")
            self.assertTrue(kind_name.startswith(name[:6]), (kind, name))

    def test_nan_and_infinity(self):
        world = empty_world()
        world.add_particles("honey", [[0, 0, 0]])
        x = [0, NAN, 0]
        for call in (
                lambda: ooze.World(method="ballistic", spacing=NAN, time_step=0.1),
                lambda: ooze.World(method="ballistic", spacing=0.1, time_step=-1),
                lambda: ooze.World(method="ballistic", spacing=0.1, time_step=0.1, gravity=x),
                lambda: world.add_particles("honey", [x]),
                lambda: world.add_particles("honey", [[0, 0, 0]], [x]),
                lambda: world.add_velocities(x),
                lambda: world.add_push(position=x, radius=1, velocity=[0, 0, 0]),
                lambda: world.add_push(position=[0, 0, 0], radius=NAN, velocity=[0, 0, 0]),
                lambda: world.add_material("bad", density=NAN)["density"] or world.step(),
                lambda: world.material("honey").__setitem__("density", NAN),
                lambda: world.set_param("contact_distance", NAN),
                lambda: world.add_emitter(material=0, radius=NAN, speed=1),
                lambda: world.add_solid(shape={"type": "sphere", "radius": NAN}),
                lambda: world.run(until=NAN), lambda: world.run(seconds=NAN),
                lambda: world.run(until=math.inf)):
            with self.subTest(inspect.getsource(call).strip()):
                self.check(ooze.ArgumentError, call)

    def test_wrong_items_and_names(self):
        world, other = empty_world(), empty_world()
        for index in (-1, 7, 2 ** 31 - 1):
            for call in (lambda: world.material(index)["density"],
                         lambda: world.solid(index)["friction"], lambda: world.solid(index).pose,
                         lambda: world.solid(index).move(position=[0, 0, 0]),
                         lambda: world.emitter(index).set_speed(1),
                         lambda: world.probe(index).values,
                         lambda: world.add_particles(index, [[0, 0, 0]]),
                         lambda: world.add_fluid(material=index, shape="sphere")):
                self.check(ooze.ArgumentError, call)
        for call, part in (
                (lambda: world.material("hony"), "hony"),
                (lambda: world.add_fluid(material=other.material("honey"), shape="sphere"), ""),
                (lambda: world.material("honey")["visosity"], "visosity"),
                (lambda: world["positon"], "positon"), (lambda: world[3], "3"),
                (lambda: world.add_solid(shpe="plane"), "shpe"),
                (lambda: world.add_solid(shape={"type": "bx"}), "bx"),
                (lambda: world.add_solid(shape={"size": [1, 1, 1]}), "type"),
                (lambda: world.add_solid(shape={"type": "box", "size": [1, 1]}), "size"),
                (lambda: world.add_solid(shape={"type": "mesh", "vertices": [[0, 0]],
                                                "triangles": [[0, 1, 2]]}), "vertices"),
                (lambda: world.add_solid(shape={"type": "mesh", "vertices": [[0, 0, 0]],
                                                "triangles": [[0, 1, 9]]}), ""),
                (lambda: world.add_solid(shape="plane", friction="much"), "friction"),
                (lambda: world.add_material(look="x"), "there is no"),
                (lambda: world.add_material(preset="hony"), "hony"),
                (lambda: world.set("gravity.y", 1), "scene"),
                (lambda: world.add_particles("honey", [[1, 2]]), "shape"),
                (lambda: world.add_emitter(material=0, limit=-1), "limit"),
                (lambda: ooze.World(method="x", spacing=0.1, time_step=0.1), "x"),
                (lambda: ooze.World(method="a\0b", spacing=0.1, time_step=0.1), "code 0"),
                (lambda: ooze.World(device="gpu"), "gpu"), (lambda: ooze.World(scne=1), "scne"),
                (lambda: ooze.Scene(SCENE).world().set("gravity.q", 1), ""),
                (lambda: ooze.Scene(), "scene"), (lambda: ooze.Scene({"a": object()}), "")):
            with self.subTest(inspect.getsource(call).strip()):
                self.check(ooze.Error, call, part)
        self.assertIn("did you mean 'shape'",
                      self.check(ooze.Error, lambda: world.add_solid(shpe="plane")).hint)

    def test_negative_and_conflicting_arguments(self):
        world = ooze.Scene(SCENE).world(threads=1)
        for call, part in (
                (lambda: world.step(-1), "count"), (lambda: world.step(1.5), "count"),
                (lambda: next(world.frames(-1)), "count"),
                (lambda: next(world.frames(0.5)), "count"),
                (lambda: world.run(until=-1), "until"), (lambda: world.run(until="x"), "until"),
                (lambda: world.run(seconds=-1), "seconds"),
                (lambda: world.run(until=0.01, seconds=0.01), "not both"),
                (lambda: ooze.Scene(SCENE).world(threads=-1), "threads"),
                (lambda: world.surface(threads=-1), "threads"),
                (lambda: world.set("gravity.y", 1, ramp=-1), "ramp"),
                (lambda: world.set("gravity.y", 1, time=-1), "time"),
                (lambda: world.add_solid(shape={"type": "box", "kind": "sphere"}), "kind"),
                (lambda: ooze.Scene(SCENE, text="ooze: 2"), "only one"),
                (lambda: ooze.Scene("a.yaml", spacing=1), "only one")):
            with self.subTest(inspect.getsource(call).strip()):
                error = self.check(ooze.ArgumentError, call, part)
                self.assertIsInstance(error, ValueError)
        self.assertEqual(world.step_count, 0)
        world.step(0)
        world.run(until=0)  # has passed
        self.assertEqual(world.step_count, 0)

    def test_misspelt_names_are_corrected(self):
        scene = ooze.Scene(SCENE)
        world = scene.world(threads=1)
        for call, wrong, right in (
                (lambda: ooze.Scene(SCENE, spcing=0.1), "spcing", "spacing"),
                (lambda: ooze.Scene(SCENE, set={"spcing": 0.1}), "spcing", "spacing"),
                (lambda: ooze.Scene(SCENE, set={"materials.hony.density": 9}), "hony", "honey"),
                (lambda: ooze.Scene(SCENE, set={"materials.honey.densty": 9}), "densty", "density"),
                (lambda: ooze.Scene(SCENE, set={"solids.flor.friction": 9}), "flor", "floor"),
                (lambda: ooze.World(scene, threds=1), "threds", "threads"),
                (lambda: world.set_param("contact_distanc", 1), "distanc'", "contact_distance"),
                (lambda: world.set_param("friendliness", 1), "friendliness", "contact_distance"),
                (lambda: world.picture(sampels=3), "sampels", "samples")):
            with self.subTest(inspect.getsource(call).strip()):
                error = self.check(ooze.Error, call, wrong)
                found = [error.hint, *(d.hint for d in getattr(error, "diagnostics", ()))]
                self.assertIn(right, " ".join(found))
        self.check(ooze.ArgumentError, lambda: ooze.Scene(SCENE, set={"spacing.x": 1}), "spacing")
        with self.assertRaisesRegex(AttributeError, "no 'positon'; did you mean 'position'?"):
            world.positon
        with self.assertRaisesRegex(AttributeError, "no 'frame_cout'; did you mean 'frame_count'?"):
            scene.frame_cout
        self.assertFalse(hasattr(world, "no_such_name"))

    def test_scenes_go_to_other_processes(self):
        file = self.folder / "scene.yaml"
        file.write_text(ooze.Scene(SCENE).yaml)
        for scene in (ooze.Scene(SCENE, set={"solids.floor.friction": 0.25}),
                      ooze.Scene(text=file.read_text()),
                      ooze.Scene(file, set={"materials.honey.drag": 0.5})):
            for other in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene)):
                self.assertEqual((other.yaml, other.path), (scene.yaml, scene.path))
                self.assertEqual(hash_after_steps(other), hash_after_steps(scene))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found, = pool.map(hash_after_steps, [scene])
        self.assertEqual(found, hash_after_steps(scene))
        self.check(ooze.UnsupportedError, lambda: pickle.dumps(scene.world(threads=1)), "world")
        scene.close()
        self.check(ooze.ClosedError, lambda: pickle.dumps(scene))

    def test_scene_errors_have_places(self):
        error = self.check(ooze.SceneError, lambda: ooze.Scene(text="ooze: 2\nspcing: 0.1\n"))
        self.assertEqual(error.diagnostics[0].line, 2)
        self.assertIn("spacing", error.diagnostics[0].hint)
        file = self.folder / "scene.yaml"
        file.write_text("ooze: 2\n")
        error = self.check(ooze.SceneError, lambda: ooze.Scene(file, set={"spacing": "x"}))
        self.assertEqual({d.file for d in error.diagnostics}, {"--set", str(file)})
        self.check(ooze.SceneError, lambda: ooze.Scene(self.folder / "none.yaml"), "none.yaml")
        other = pickle.loads(pickle.dumps(error))  # as from another process
        self.assertEqual((str(other), other.diagnostics), (str(error), error.diagnostics))
        wrong = {**SCENE, "spacing": -1}
        self.check(ooze.SceneError, lambda: ooze.Scene(wrong), "spacing")

    def test_a_misspelt_key_is_named_before_missing_ones(self):
        """What is missing may be the key that is misspelt."""
        keys = {**SCENE, "spacin": 0.1}
        del keys["spacing"]
        error = self.check(ooze.SceneError, lambda: ooze.Scene(**keys), "'spacin'")
        self.assertIn("unknown key 'spacin' in the scene (the first of 2 errors)", error.message)
        self.assertEqual(error.hint, "did you mean 'spacing'?")
        self.assertIn("lacks 'spacing'", error.diagnostics[1].message)
        keys["materials"] = {"honey": {"viscosty": 1}}
        del keys["spacin"]
        error = self.check(ooze.SceneError, lambda: ooze.Scene(**keys), "'viscosty'")
        self.assertEqual(error.hint, "did you mean 'viscosity'?")

    def test_files(self):
        self.check(ooze.FileError, lambda: ooze.Frame(self.folder / "none.h5"), "none.h5")
        (self.folder / "bad.h5").write_bytes(b"not a frame" * 100)
        self.check(ooze.FormatError, lambda: ooze.Frame(self.folder / "bad.h5"))
        self.check(ooze.FileError, lambda: ooze.Run(self.folder))
        world = empty_world()
        self.check(ooze.WriteError, lambda: world.save(self.folder / "no" / "frame.h5"))
        with self.assertRaises(ooze.FileError) as caught:
            ooze.Frame(self.folder / "none.h5")
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(copy), str(copy)), (ooze.FileError, str(caught.exception)))
        with self.assertRaises(OSError):  # also the built-in kind
            ooze.Frame(self.folder / "none.h5")
        error = self.check(ooze.CommandError, lambda: ooze.command("run", "none.yaml", "-o", "x"))
        self.assertIn("none.yaml", error.message)

    def test_a_diverging_simulation(self):
        world = empty_world()
        world.add_particles("honey", [[0, 0, 0]])
        world.force(lambda _: [1e30, 0, 0])
        self.check(ooze.NumericError, lambda: world.step(10), "particle 0")

    def test_closed_objects(self):
        scene = ooze.Scene(SCENE)
        world = scene.world()
        world.save(self.folder / "a.h5")
        frame, honey, probe = ooze.Frame(self.folder / "a.h5"), world.material(0), world.probe(0)
        kept = frame.position
        for item in (scene, frame, world):
            item.close()
            item.close()
            self.assertTrue(item.closed)
            self.assertIn("closed", repr(item))
        self.assertEqual(len(kept), 512)  # a frame does not change: its views stay valid
        self.assertAlmostEqual(float(kept[:, 1].mean()), 0.7, places=5)
        for call in (world.step, world.hash, world.measure, world.stats, lambda: world.position,
                     lambda: len(world), lambda: world.run(until=1), lambda: honey["density"],
                     lambda: probe.values, lambda: world.on_step(print), lambda: world.force(print),
                     lambda: list(world.frames()), lambda: world.restore(self.folder / "a.h5"),
                     lambda: world.set("gravity.y", 1), world.picture, world._repr_png_,
                     lambda: frame.position, frame.hash, lambda: frame.time, frame.surface,
                     lambda: scene.yaml, scene.world, lambda: scene.diagnostics):
            self.check(ooze.ClosedError, call)
        with ooze.Scene(SCENE).world() as world:
            world.step()
        self.assertTrue(world.closed)

    def test_layer_one_refuses_null(self):
        """Every function with NULL and NaN in all places, in a process of its own."""
        done = subprocess.run([sys.executable, __file__, "--null"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        called, silent = done.stdout.split("\n")[:2]
        self.assertGreater(int(called), 95)
        self.assertEqual(silent, "[]")


def call_with_null():
    """Prints how many functions it called, and those that can fail but did not."""
    called, silent = 0, []
    for name in c.__all__:
        function = getattr(c, name)
        if not name.startswith("ooze_"):
            continue
        raw = getattr(sys.modules[function.__module__], "_" + name)
        arguments = []
        for kind, parameter in zip(raw.argtypes, inspect.signature(function).parameters):
            value = None
            if kind in (ctypes.c_double, ctypes.c_float):
                value = NAN
            elif kind in (ctypes.c_int, ctypes.c_bool, ctypes.c_size_t, ctypes.c_uint64):
                value = 0
            elif inspect.isclass(kind) and issubclass(kind, ctypes.Structure):
                value = kind(-1)
            arguments.append(value)
        arguments += [None] * (len(inspect.signature(function).parameters) - len(arguments))
        called += 1
        fails = len(raw.argtypes) > 1 and raw.argtypes[-1] is ctypes.POINTER(c.OozeError)
        try:
            function(*arguments)
            if fails and name not in ("ooze_scene_schema", "ooze_scene_reference"):
                silent.append(name)
        except ooze.Error as error:
            assert error.message, name
    print(called)
    print(silent)


if __name__ == "__main__":
    if sys.argv[1:] == ["--null"]:
        call_with_null()
    else:
        unittest.main(verbosity=2)
