"""A world of the Python package on a GPU, or with device code on the processor, against the same
world on the processor. Ends with 77, which CTest reports as skipped, where neither can be used."""
import sys
import unittest

from support import PackageTest, ooze

import numpy


def honey_in_a_field(device):
    world = ooze.World(method="conformation", spacing=0.05, time_step=1 / 240, device=device,
                       gravity=[0, 0, 0])
    world.add_material("honey", density=1400, viscosity=50)
    world.add_fluid(material="honey", shape={"type": "box", "size": [0.3, 0.3, 0.3],
                                             "position": [0, 1, 0]})
    world.force(lambda world: [0, -9.81, 0] - 4 * world.position)
    return world


class Device(PackageTest):
    def test_fields_and_forces(self):
        found = {}
        for device in ("cpu", "cuda"):
            world = honey_in_a_field(device)
            world.step(10)
            self.assertEqual(world.stats()["device"], device)
            view = world.position
            found[device] = view[numpy.argsort(world["id"])]
            world.step()
            self.assertRaises(ooze.StaleViewError, view.sum)
        self.assertLess(numpy.abs(found["cpu"] - found["cuda"]).max(), 1e-4)
        self.assertGreater(numpy.abs(found["cpu"].mean(axis=0) - [0, 1, 0]).max(), 5e-3)


if __name__ == "__main__":
    try:
        honey_in_a_field("cuda").close()
    except ooze.UnsupportedError as error:
        print("skipped:", error.message)
        sys.exit(77)
    unittest.main(verbosity=2)
