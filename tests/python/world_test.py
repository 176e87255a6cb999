"""Worlds from Python: views without copies, their life, forces, callbacks, items, the same bits as
the command, saving and restoring, threads."""
import gc
import os
import pickle
import threading
import unittest

from support import SCENE, PackageTest, empty_world, ooze

import numpy

from ooze import c


class Views(PackageTest):
    def test_a_million_particles_are_not_copied(self):
        world = empty_world(spacing=0.01)
        count = world.add_fluid(material="honey", shape={"type": "box", "size": [1, 1, 1]})
        self.assertEqual(count, 1000000)
        frame = c.ooze_world_frame(world._get())
        for name in world.field_names:
            view = world[name]
            field = c.ooze_frame_field(frame, name).contents
            self.assertEqual(view.ctypes.data, field.data, name)
            self.assertEqual(len(view), 1000000)
            self.assertFalse(view.flags.owndata)
            self.assertFalse(view.flags.writeable)
            self.assertEqual(view.strides[0],
                             field.stride * c.ooze_field_type_size(field.type))
        view = world.position
        values = [c.ooze_field_value(c.ooze_frame_field(frame, "position"), 123456, k)
                  for k in range(3)]
        self.assertEqual(view[123456].tolist(), values)
        plain = numpy.asarray(view)
        self.assertEqual(plain.ctypes.data, view.ctypes.data)
        self.assertEqual(view.dtype, numpy.float32)
        self.assertEqual(view.unit, "m")
        with self.assertRaises(ValueError):
            view[0, 0] = 1

    def test_a_view_ends_with_the_state_that_it_shows(self):
        world = empty_world()
        world.add_particles("honey", [[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [1, 0, 0]])
        view, copy = world.position, world.position.copy()
        part, again = view[:, 0], world.position
        self.assertEqual(part.sum(), 1)
        self.assertIs(type(copy), numpy.ndarray)
        self.assertIs(type(view + 1), numpy.ndarray)
        self.assertIs(type(view[[0, 1]]), numpy.ndarray)  # fancy indexing copies
        pickled = pickle.loads(pickle.dumps(view))
        world.step()
        for stale in (view, part, again):
            for use in (lambda v: v[0], lambda v: v + 1, lambda v: numpy.mean(v), repr, list,
                        lambda v: v.copy(), lambda v: v.sum(), lambda v: numpy.concatenate([v, v]),
                        lambda v: v.tolist(), lambda v: v.astype(float)):
                with self.assertRaises(ooze.StaleViewError):
                    use(stale)
        self.assertEqual(copy.tolist(), pickled.tolist())
        self.assertAlmostEqual(world.position[1, 0], 1 + 1 / 64, places=6)

    def test_a_plain_array_outlives_growth_and_world(self):
        """Memory that an array shows is not freed by growth, by closing or by collection."""
        world = empty_world()
        world.add_particles("honey", numpy.ones((1000, 3)))
        old = numpy.asarray(world.position)
        numpy.testing.assert_array_equal(old, 1)
        for size in (3000, 30000, 300000):  # each larger than the memory that there is
            world.add_particles("honey", numpy.zeros((size, 3)))
        numpy.testing.assert_array_equal(old, 1)
        kept = world.stats()["particle_bytes"]
        last = numpy.asarray(world.position)
        view = world.position
        world.close()
        with self.assertRaises(ooze.StaleViewError):
            view.mean()
        self.assertEqual(last.sum(), 3000)
        self.assertEqual(old.sum(), 3000)
        del world, view, old
        gc.collect()
        self.assertEqual(last.sum(), 3000)
        # without such an array, nothing is kept
        world = empty_world()
        world.add_particles("honey", numpy.ones((1000, 3)))
        world.position.sum()
        for size in (3000, 30000, 300000):
            world.add_particles("honey", numpy.zeros((size, 3)))
        self.assertLess(world.stats()["particle_bytes"], kept)

    def test_a_world_without_particles_has_empty_fields(self):
        world = empty_world()
        self.assertEqual(world.position.shape, (0, 3))
        world.step()
        self.assertEqual(len(world), 0)


class Forces(PackageTest):
    def test_a_constant_force_is_gravity(self):
        """Free fall. A force acts on velocities at the beginning of a step, so that its path is
        g t (t + dt) / 2 instead of g t^2 / 2, which `ballistic` reaches under gravity."""
        dt, steps, g = 1 / 64, 64, 9.81
        heights = {}
        for forced in (False, True):
            world = empty_world(gravity=[0, 0 if forced else -g, 0])
            world.add_particles("honey", [[0, 10, 0], [3, 12, 0]])
            if forced:
                world.force(lambda _: [0, -g, 0])
            world.run(until=steps * dt)
            heights[forced] = world.position[:, 1].copy()
            self.assertAlmostEqual(world.velocity[0, 1], -g * steps * dt, places=4)
        t = steps * dt
        numpy.testing.assert_allclose(heights[False], numpy.array([10, 12]) - g * t * t / 2,
                                      atol=1e-4)
        numpy.testing.assert_allclose(heights[True], numpy.array([10, 12]) - g * t * (t + dt) / 2,
                                      atol=1e-4)

    def test_a_force_of_positions_makes_an_oscillator(self):
        """a = -w^2 x: after a period the particles are where they began, and half a period before
        that on the other side. Semi-implicit Euler keeps the amplitude, and its period is shorter
        by (w dt)^2 / 24."""
        steps = 256
        w = 2 * numpy.pi / (steps / 64) * (1 + 4e-5)
        start = numpy.array([[1, 0, 0], [0, -0.5, 0.25]])
        world = empty_world()
        world.add_particles("honey", start)
        force = world.force(lambda world: -w * w * world.position)
        for sign in (-1, 1):
            world.step(steps // 2)
            by_id = world.position[numpy.argsort(world["id"])]  # steps sort particles in space
            numpy.testing.assert_allclose(by_id, sign * start, atol=0.02)
        world.remove(force)
        before = world.velocity.copy()
        world.step(5)
        numpy.testing.assert_array_equal(world.velocity, before)

    def test_a_viscous_block_falls_under_a_force_as_under_gravity(self):
        centre = []
        for forced in (False, True):
            world = ooze.World(method="conformation", spacing=0.05, time_step=1 / 240, threads=2,
                               gravity=[0, 0 if forced else -9.81, 0], device="cpu")
            world.add_material("honey", density=1400, viscosity=50)
            world.add_fluid(material="honey", shape={"type": "box", "size": [0.2, 0.2, 0.2],
                                                     "position": [0, 1, 0]})
            if forced:
                world.force(lambda world: numpy.tile([0, -9.81, 0], (len(world), 1)))
            world.step(24)
            centre.append(world.position.mean(axis=0, dtype=float))
        self.assertLess(abs(centre[1][1] - (1 - 9.81 * 0.1 * (0.1 + 1 / 240) / 2)), 1e-4)
        self.assertLess(numpy.abs(centre[0] - centre[1]).max(), 1e-4)

    def test_wrong_accelerations_are_errors(self):
        world = empty_world()
        world.add_particles("honey", [[0, 0, 0], [1, 0, 0]])
        for wrong, kind in ((numpy.zeros((3, 3)), ooze.ArgumentError), (None, ooze.ArgumentError),
                            ([0, float("nan"), 0], ooze.ArgumentError),
                            ("up", ooze.ArgumentError)):
            force = world.force(lambda _: wrong)
            with self.assertRaises(kind) as caught:
                world.step()
            self.assertTrue(caught.exception.hint)
            world.remove(force)
        self.assertEqual(world.step_count, 0)
        world.step()


class Callbacks(PackageTest):
    def test_a_callback_sees_every_step_and_can_end_the_run(self):
        world, seen = empty_world(), []

        @world.on_step
        def note(world):
            seen.append(round(world.time * 64))
            return len(seen) < 5
        world.run(until=1)
        self.assertEqual(seen, [1, 2, 3, 4, 5])
        world.remove(note)
        world.run(until=0.25)
        self.assertEqual((world.step_count, len(seen)), (16, 5))
        with self.assertRaises(ooze.ArgumentError):
            world.remove(note)

    def test_an_exception_in_a_callback_reaches_the_caller(self):
        world = empty_world()
        world.on_step(lambda _: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            world.run(until=1)
        self.assertEqual(world.step_count, 1)
        world = empty_world()
        world.on_step(lambda world: world.step())
        with self.assertRaises(ooze.Error) as caught:
            world.step()
        self.assertIn("callback", caught.exception.message)
        world = empty_world()
        world.on_step(lambda world: world.close())
        with self.assertRaises(ooze.ClosedError):
            world.run(until=1)

    def test_the_log_cannot_use_its_world(self):
        worlds, lines = [], []

        def log(level, line):
            lines.append((level, line))
            worlds[0].step()
        worlds.append(ooze.World(method="ballistic", spacing=0.1, time_step=0.01, log=log))
        worlds[0].add_material("honey")
        with self.assertRaises(ooze.Error):
            # a lattice leaves much of so small a sphere empty, which is a warning
            worlds[0].add_fluid(material=0, shape={"type": "sphere", "radius": 0.14})
        self.assertEqual(lines[0][0], "warning")


class State(PackageTest):
    def test_the_bits_are_those_of_the_command(self):
        scene = ooze.Scene(SCENE)
        run = scene.run(self.folder / "run", threads=1)
        world = scene.world(threads=2)
        self.assertEqual(list(world.frames()), list(range(11)))
        self.assertEqual(world.hash(), run.hash())
        self.assertEqual(world.hash(),
                         ooze.command("info", self.folder / "run", "--hash").strip())
        table = run.probes
        self.assertEqual(world.measure()["all.y"], table["all.y"][-1])
        self.assertEqual(world.time, table["time"][-1])
        # from a frame in the middle to the same end
        other = scene.world(threads=1)
        other.restore(run.frames[4])
        self.assertEqual((other.step_count, other.hash()), (40, run.frames[4].hash()))
        self.assertEqual(list(other.frames()), [5, 6, 7, 8, 9, 10])
        self.assertEqual(other.hash(), run.hash())

    def test_save_and_restore(self):
        scene = ooze.Scene(SCENE)
        world = scene.world()
        world.step(10)
        world.save(self.folder / "a.h5")
        state = world.hash()
        view = world.position
        world.step(10)
        later = world.hash()
        self.assertNotEqual(state, later)
        world.restore(self.folder / "a.h5")
        self.assertRaises(ooze.StaleViewError, view.sum)
        self.assertEqual((world.hash(), world.step_count), (state, 10))
        world.step(10)
        self.assertEqual(world.hash(), later)
        with self.assertRaises(ooze.FormatError) as caught:
            empty_world().restore(self.folder / "a.h5")
        self.assertTrue(caught.exception.hint)

    def test_items_and_numbers(self):
        world = ooze.Scene(SCENE).world()
        honey, floor = world.material("honey"), world.solid("floor")
        self.assertEqual(honey["density"], 1400)
        honey["drag"] = 0.7
        self.assertEqual(world.material(0)["drag"], 0.7)
        self.assertEqual(floor["friction"], float("inf"))
        floor["friction"] = 0.25
        self.assertEqual(world.solid("floor")["friction"], 0.25)
        world.set_param("contact_distance", 0.3)
        self.assertEqual(world.get_param("contact_distance"), 0.3)
        self.assertEqual(world.stats()["threads"], os.cpu_count() if not hasattr(
            os, "sched_getaffinity") else len(os.sched_getaffinity(0)))
        before = len(world)
        world.emitter("nozzle").set_speed(0)
        world.step(50)
        self.assertEqual(len(world), before)
        world.solid("paddle").move(position=[0, 2, 0], velocity=[0, 1, 0])
        world.step()
        numpy.testing.assert_allclose(world.solid("paddle").pose.position, [0, 2, 0])
        world.step(100)
        numpy.testing.assert_allclose(world.poses["paddle"].position, [0, 2.1, 0], atol=1e-9)
        world.set("gravity.y", 5)
        world.set("materials.honey.drag", 0)
        world.step()
        speed = world.velocity[:, 1].copy()
        world.step()
        self.assertTrue((numpy.abs(world.velocity[:, 1] - speed - 0.005) < 1e-6).any())
        self.assertEqual(honey["drag"], 0)

    def test_items_of_code(self):
        world = ooze.World(method="conformation", spacing=0.05, time_step=1 / 100,
                           max_travel=0.5, up="z", gravity=[0, 0, -9.81], periodic=[True, 0, 0],
                           periodic_min=[0, 0, 0], periodic_max=[1, 1, 1])
        world.set_param("time_integration", "second_order")
        self.assertEqual(world.get_param("time_integration"), 1)
        world.set_param("time_integration", "auto")
        cream = world.add_material(preset="whipped_cream", color=[1, 0.5, 0], look="honey")
        self.assertEqual(cream["density"], ooze.presets()["whipped_cream"]["numbers"]["density"])
        hot = world.add_material("hot", viscosity=3, temperature_table=[
            {"temperature": 0, "viscosity": 10}, {"temperature": 100, "viscosity": 1}])
        world.add_solid("table", shape="plane", friction=1)
        cup = world.add_solid("cup", shape={"type": "compound", "position": [0.5, 0.5, 0.3],
                              "parts": [{"type": "box", "size": [.1, .1, .1]},
                                        {"type": "sphere", "radius": 0.1}]},
                              motion={"keyframes": [{"time": 0, "position": [0.5, 0.5, 0.3]},
                                                    {"time": 1, "position": [0.5, 0.5, 0.5]}]})
        tetrahedron = {"type": "mesh", "vertices": numpy.eye(4)[:, :3] * 0.3,
                       "triangles": [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]}
        world.add_solid("mesh", shape={**tetrahedron, "position": [0.3, 0.3, 2]})
        world.add_solid("hills", shape={"type": "heightfield", "size": [1, 1, 1],
                                        "heights": numpy.zeros((4, 5)), "position": [0, 0, -1]})
        added = world.add_fluid(material=hot, shape={"type": "sphere", "radius": 0.15,
                                                     "position": [0.5, 0.5, 0.7]}, fill="fitted",
                                temperature=50)
        self.assertGreater(added, 50)
        world.add_emitter("tap", material=cream, outline="star", points=5, radius=0.1,
                          inner_radius=0.05, position=[0.2, 0.2, 1], speed=1, limit=40)
        world.add_sink(shape={"type": "plane", "position": [0, 0, -5]})
        world.add_heat_source(shape="plane", temperature=30)
        world.add_push(position=[0.5, 0.5, 0.7], radius=1, velocity=[0, 1, 0])
        world.add_change(target="world", key="gravity.x", value=1, time=0.02)
        top = world.add_probe("top", kind="height")
        world.step(4)
        self.assertIn("temperature", world.field_names)
        self.assertGreater(world.velocity[:, 1].mean(), 0.1)
        numpy.testing.assert_allclose(cup.pose.position[2], 0.3 + 0.2 * 0.04, atol=0.01)
        self.assertGreater(top.read()["top.height"], 0.5)
        self.assertEqual(top.units, {"top.height": "m"})

    def test_threads_wait_for_each_other(self):
        world = ooze.Scene(SCENE).world(threads=1)
        alone = ooze.Scene(SCENE).world(threads=1)
        workers = [threading.Thread(target=world.step, args=(10,)) for _ in range(4)]
        for worker in workers:
            worker.start()
        for _ in range(50):
            world.measure()
        for worker in workers:
            worker.join()
        alone.step(40)
        self.assertEqual(world.step_count, 40)
        numpy.testing.assert_array_equal(numpy.sort(world["id"]), numpy.sort(alone["id"]))
        numpy.testing.assert_array_equal(world.position[numpy.argsort(world["id"])],
                                         alone.position[numpy.argsort(alone["id"])])

    def test_a_forked_process_cannot_use_the_world(self):
        world = empty_world()
        world.add_particles("honey", numpy.zeros((5000, 3)))
        world.step()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                world.step()
            except ooze.Error as error:
                code = 0 if "process" in error.message else 2
            finally:
                del world
                gc.collect()  # must not wait for threads that are not there
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        world.step()

    def test_worlds_are_freed(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def use():
            world = empty_world()
            world.add_particles("honey", numpy.zeros((200000, 3)))  # 10 MB
            world.position.sum()
        use()
        before = resident()
        for _ in range(10):
            use()
        self.assertLess(resident() - before, 40e6)


if __name__ == "__main__":
    unittest.main(verbosity=2)
