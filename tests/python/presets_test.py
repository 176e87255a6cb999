"""Presets in worlds from Python: they mean the same as in scene files, in every method."""
import unittest

from support import PackageTest, ooze

SPACING, STEP, DURATION, EDGE = 0.01, 1 / 480, 0.1, 0.04
BOX = {"type": "box", "size": [EDGE, EDGE, EDGE], "position": [0, EDGE / 2, 0]}


def of_scene(method, material, settings=None):
    return ooze.Scene(method={"name": method, **(settings or {})}, spacing=SPACING, time_step=STEP,
                      duration=DURATION, frame_rate=10, materials={"m": material},
                      fluids=[{"material": "m", "shape": BOX}],
                      solids=[{"shape": {"type": "plane"}}]).world(threads=1)


def of_calls(method, material, settings=None):
    world = ooze.World(method=method, spacing=SPACING, time_step=STEP, duration=DURATION, threads=1)
    for key, value in (settings or {}).items():
        world[key] = value
    world.add_material("m", **material)
    world.add_solid(shape={"type": "plane"})
    world.add_fluid(material="m", shape=BOX)
    return world


class Presets(PackageTest):
    def check_same(self, method, material):
        worlds = of_scene(method, material), of_calls(method, material)
        for world in worlds:
            world.step(24)
        case = f"{method}, {material}"
        for field in ("position", "velocity"):
            values = [self.numpy.asarray(world[field]).tobytes() for world in worlds]
            self.assertEqual(values[0], values[1], f"{case}: {field}")
        numbers = [{key: repr(world.material("m")[key]) for key in world.material("m").keys()}
                   for world in worlds]
        self.assertEqual(*numbers, case)

    def test_a_world_has_the_bits_of_the_scene_file(self):
        for method in ("blend", "links", "springs", "wcsph", "cauchy", "stress", "conformation",
                       "constraint"):
            for preset in ("water", "slime", "jelly", "ketchup"):
                self.check_same(method, {"preset": preset})

    def test_stated_numbers_stay(self):
        self.check_same("blend", {"preset": "water", "fluid_share": 0.3})
        self.check_same("links", {"preset": "honey", "viscosity": 10})
        self.check_same("links", {"preset": "honey", "viscosity": 40})
        self.check_same("cauchy", {"preset": "ketchup", "solvent_viscosity": 18.7})
        self.check_same("blend", {"preset": "slime", "viscosity": 20})

    def test_presets_differ_in_a_method(self):
        ends = set()
        for preset in ("water", "honey", "jelly"):
            world = of_calls("links", {"preset": preset})
            world.step(24)
            ends.add(self.numpy.asarray(world.position).tobytes())
        self.assertEqual(len(ends), 3)

    def test_numbers_come_with_the_first_step_and_stay(self):
        world = of_calls("links", {"preset": "honey"})
        material, start, later = world.material("m"), self.folder / "start.h5", self.folder / "b.h5"
        world.save(start)
        self.assertNotEqual(material["stretch_rate"], material["stretch_rate"])  # not given
        world.step()
        rate = material["stretch_rate"]
        self.assertAlmostEqual(rate, 1420 * 9.81 * EDGE / 60, places=6)
        world.save(later)
        world.step(3)
        for frame in (start, later):  # with measured numbers, and with those of the method
            world.restore(frame)
            world.step()
            self.assertEqual(material["stretch_rate"], rate)
        material["stretch_rate"] = 2
        world.step()
        self.assertEqual(material["stretch_rate"], 2)

    def test_a_number_that_is_set_before_the_first_step_stays(self):
        world = of_calls("links", {"preset": "honey"})
        world.material("m")["stretch_rate"] = 2
        world.step()
        self.assertEqual(world.material("m")["stretch_rate"], 2)


if __name__ == "__main__":
    unittest.main()
