"""The processor and the GPU take the same steps. Runs where the build has the engine and a machine
for it (a GPU, or the processor standing in for one); elsewhere it holds `--device cuda` to one
clear sentence."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
OOZE = str(pathlib.Path(os.environ.get("OOZE_BUILD_DIR", ROOT / "build")) / "ooze")

# Small scenes of the paper, with their steps a second: blocks of several materials, coiling ropes,
# cream from a star nozzle, and a bowl and a hand that move. No step is divided. A rope that falls
# straight down buckles to a side that rounding decides, so ropes are tilted. The bowl needs more
# particles than its small variant has: with 800, turning the nozzle by a millionth changes the
# processor's own spread by 2 %.
TILT = [f"emitters.nozzle{k}.direction=[{direction}]"
        for k, direction in enumerate(("0.1, -1, 0.05", "-0.1, -1, 0.05", "0.1, -1, -0.05",
                                       "0.05, -1, 0.1"))]
SCENES = {"coiling": ("coiling_top", 240, TILT), "palette": ("blocks", 240, []),
          "nozzle": ("waffle_thick", 300, ["emitters.star.direction=[0.1, -1, 0.05]"]),
          "bowl": ("hand_and_bowl", 200,
                   ["emitters.nozzle.direction=[0.1, -1, 0.05]", "spacing=0.0035"])}
# Solves are asked to converge: at the default tolerance the processor's own drift of the blocks
# changes by 7 % with the preconditioner.
CONVERGED = "method: {tolerance: 1e-5}\n"
MEASURED = ("height", "spread", "momentum", "drift", "energy")
PROBES = "probes: [" + ", ".join(f"{{name: my_{kind}, kind: {kind}}}" for kind in MEASURED) + "]\n"

# What the four have not: sinks, a periodic axis, steps that are cut, and a probe of every step.
POURED = """\
ooze: 2
title: poured, and drained
method: {name: conformation}
spacing: 0.02
time_step: 1/120
duration: 0.5
frame_rate: 30
periodic: {z: [-0.16, 0.16]}
materials:
  honey: {viscosity: 10, modulus: 300, relaxation_time: 0.1}
fluids:
  - material: honey
    shape: {type: box, size: [0.12, 0.12, 0.12], position: [0, 0.3, 0]}
    velocity: [1, -2, 0.5]
emitters:
  - {material: honey, radius: 0.05, position: [0.05, 0.45, 0.1], speed: 2.5}
solids:
  - {name: floor, shape: {type: plane}, friction: 0.5}
  - name: box
    shape: {type: box, size: [0.1, 0.1, 0.3], position: [0, 0.1, 0]}
    motion: {velocity: [0.3, 0, 0]}
sinks:
  - {shape: {type: box, size: [0.3, 0.1, 2], position: [0.3, 0.04, 0]}}
probes:
  - {kind: count}
  - {kind: centre, every_step: true}
"""
POURED_LINKS = POURED.replace("{name: conformation}", "{name: links}").replace(
    "{viscosity: 10, modulus: 300, relaxation_time: 0.1}", "{extension: 1.003}")
POURED_BLEND = POURED.replace(
    "{name: conformation}", "{name: blend, sound_speed: 1.9, update_interval: 0.1}").replace(
    "{viscosity: 10, modulus: 300, relaxation_time: 0.1}",
    "{fluid_share: 0.6, modulus: 300, solvent_viscosity: 1}").replace(
    "periodic: {z: [-0.16, 0.16]}\n", "")
POURED_SPRINGS = POURED.replace(
    "{name: conformation}", "{name: springs, unit: 1/150, spring_start: distance}").replace(
    "{viscosity: 10, modulus: 300, relaxation_time: 0.1}",
    "{spring_stiffness: 0.2, plasticity: 0.1, linear_viscosity: 0.2}")
POURED_BY_METHOD = {"conformation": POURED, "links": POURED_LINKS, "blend": POURED_BLEND,
                    "springs": POURED_SPRINGS}


def ooze(*arguments, **environment):
    return subprocess.run([OOZE, *map(str, arguments)], capture_output=True, text=True, timeout=900,
                          env={**os.environ, "OOZE_DEVICE": "", **environment})


def has_engine():
    for line in ooze("version").stdout.splitlines():
        if line.split()[:1] == ["cuda"]:
            return line.split()[1] == "yes"
    return False


def has_machine():
    """Whether steps can be taken there; the words if not."""
    with tempfile.TemporaryDirectory(prefix="ooze-device-") as folder:
        scene = pathlib.Path(folder) / "scene.yaml"
        scene.write_text(POURED)
        done = ooze("run", scene, "-o", pathlib.Path(folder) / "run", "--frames", 0, "-q",
                    "--device", "cuda")
        return done.returncode == 0, done.stderr


ENGINE = has_engine()
MACHINE, REFUSAL = has_machine()


def read(run, number):
    """The fields of a frame, sorted by id."""
    with h5py.File(run / "frames" / f"frame_{number:06d}.h5", "r") as file:
        fields = {name: data[...] for name, data in file["particles"].items()}
    order = numpy.argsort(fields["id"])
    return {name: data[order] for name, data in fields.items()}


def read_attribute(run, number, name):
    with h5py.File(run / "frames" / f"frame_{number:06d}.h5", "r") as file:
        return file.attrs[name]


def last_row(run):
    with open(run / "probes.csv") as file:
        return {key.split(" ")[0]: float(value)
                for key, value in list(csv.DictReader(file))[-1].items()}


class DeviceCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-device-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text):
        scene = self.folder / (name + ".yaml")
        scene.write_text(text)
        return scene

    def paper_scene(self, name, steps_a_frame, settings=""):
        file, rate, _ = SCENES[name]
        path = ROOT / "scenes/barreiro2017" / (file + "_small.yaml")
        return self.write(name,
                          f"ooze: 2\ninclude: {path}\nduration: 2\n"
                          f"frame_rate: {rate}/{steps_a_frame}\n"
                                f"{settings}{PROBES}")

    def run_scene(self, scene, name, device, frames, resume=False):
        run = self.folder / name
        changes = [word for change in SCENES.get(scene.stem, (0, 0, []))[2]
                   for word in ("--set", change)]
        done = ooze("run", scene, "-o", run, "--frames", frames, "-q", "--device", device, *changes,
                    *(["--resume"] if resume else []))
        self.assertEqual(done.returncode, 0, done.stderr)
        return run

    def refused(self, part, *arguments, code=1, **environment):
        done = ooze(*arguments, **environment)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("error"), 1, done.stderr)

    def hash_of(self, run):
        done = ooze("info", run, "--hash")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()


class Sentences(DeviceCase):
    def test_unavailable_devices_are_errors(self):
        scene = self.write("scene", POURED)
        run = ["run", scene, "-o", self.folder / "run", "--frames", 1, "-q"]
        if not ENGINE:
            self.refused("this build of ooze has no CUDA back end", *run, "--device", "cuda")
            self.refused("this build of ooze has no CUDA back end", *run, OOZE_DEVICE="cuda")
        elif not MACHINE:
            self.refused("device cuda cannot be used: no GPU", *run, "--device", "cuda")
        self.refused("OOZE_DEVICE is 'gpu'", *run, OOZE_DEVICE="gpu")
        self.assertFalse((self.folder / "run").exists())
        done = ooze(*run, "--device", "cpu", OOZE_DEVICE="cuda")
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(MACHINE, "no machine for it: " + REFUSAL.strip()[:80])
    def test_unsupported_settings_run_on_the_processor_or_are_errors(self):
        other = POURED.replace("{name: conformation}", "{name: springs, order: sequential}")
        run = ["-o", self.folder / "run", "--frames", 1, "-q"]
        self.refused("'order: sequential'", "run", self.write("other", other), *run,
                     "--device", "cuda")
        self.assertFalse((self.folder / "run").exists())
        done = ooze("run", self.write("other", other), *run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("steps are taken by the processor", (self.folder / "run/log.txt").read_text())

    @unittest.skipUnless(MACHINE, "no machine for it")
    def test_the_log_names_the_device(self):
        run = self.run_scene(self.write("scene", POURED), "run", "cuda", 1)
        self.assertIn("steps are taken by the GPU", (run / "log.txt").read_text())


def edge_distance(state):
    """Horizontal distance of each particle to the nearest vertical edge of the tank of `palette`,
    whose walls the last material has reached."""
    flat, own = state["position"][:, [0, 2]], state["material"] == state["material"].max()
    low, high = flat[own].min(axis=0), flat[own].max(axis=0)
    to_wall = numpy.minimum(numpy.abs(flat - low), numpy.abs(high - flat))
    return numpy.hypot(to_wall[:, 0], to_wall[:, 1])


@unittest.skipUnless(MACHINE, "no machine for it")
class Parity(DeviceCase):
    def test_one_step(self):
        """Positions agree within 2e-4 spacings after one step from the same state, but for
        particles in the vertical edges of the tanks of `palette` and their neighbours: the nearer
        of two walls pushes a particle out, rounding decides between two that are equally near, and
        fluid drawn up along an edge is kept even along it."""
        for name, begun in (("palette", 120), ("coiling", 150), ("nozzle", 150), ("bowl", 200)):
            with self.subTest(name):
                scene = self.paper_scene(name, 1, CONVERGED)
                here = self.run_scene(scene, name + "_here", "cpu", begun)
                there = self.folder / (name + "_there")
                before, spacing = read(here, begun), read_attribute(here, begun, "spacing")
                shutil.copytree(here, there)
                self.run_scene(scene, here.name, "cpu", begun + 1, resume=True)
                self.run_scene(scene, there.name, "cuda", begun + 1, resume=True)
                a, b = read(here, begun + 1), read(there, begun + 1)
                self.assertEqual(a.keys(), b.keys())
                for field in a:
                    self.assertEqual((a[field].dtype, a[field].shape),
                                     (b[field].dtype, b[field].shape), field)
                self.assertTrue((a["id"] == b["id"]).all())
                travel = a["position"][:len(before["id"])] - before["position"]
                moved = numpy.abs(travel).max() / spacing
                apart = numpy.abs(a["position"] - b["position"]).max(axis=1) / spacing
                inside = numpy.sort(apart)
                if name == "palette":
                    inside = numpy.sort(apart[edge_distance(a) > 2 * spacing])
                    self.assertGreater(len(inside), 0.9 * len(apart))
                apart, far = numpy.sort(apart), inside[-1 - len(inside) // 500]
                faster = numpy.abs(a["velocity"] - b["velocity"]).max()
                print(f"  {name}: {len(a['id'])} particles move up to {moved:.2g} spacings, "
                      f"{far:.2e} apart but for 0.2 %, at most {apart[-1]:.2e}; velocities "
                      f"{faster:.1e} m/s", flush=True)
                self.assertGreater(moved, 0.05)
                # 1.4e-4 in the bowl, between an H200 and a processor with AVX-512
                self.assertLess(far, 2e-4)
                self.assertLess(apart[-1], 0.1)
                self.assertLess(faster, 1e-3)

    def test_several_modes(self):
        """A fluid of three relaxation times that yields and thins, beside one of one: conformations
        of all modes agree after some steps as well as positions do."""
        fluid = ("{modulus: 300, relaxation_time: 0.05, modulus_2: 100, relaxation_time_2: 0.5, "
                 "modulus_3: 30, "
                 "yield_strain: 0.3, solvent_viscosity: 5, thinning_rate: 2, "
                 "thinning_exponent: 0.5}")
        text = POURED.replace("{viscosity: 10, modulus: 300, relaxation_time: 0.1}",
                              fluid + "\n  oil: {viscosity: 5}")
        text = text.replace("- {material: honey, radius", "- {material: oil, radius").replace(
            "{name: conformation}",
            "{name: conformation, tolerance: 1e-5, velocity_iterations: 300}").replace(
            "frame_rate: 30", "frame_rate: 120")
        scene = self.write("modes", text)
        here, there = (self.run_scene(scene, name, name, 10) for name in ("cpu", "cuda"))
        a, b = read(here, 10), read(there, 10)
        self.assertEqual(a.keys(), b.keys())
        oil = a["material"] == 1
        self.assertTrue(oil.any())
        far = numpy.abs(a["position"] - b["position"]).max() / 0.02
        print(f"  modes: {far:.2e} spacings apart", flush=True)
        self.assertLess(far, 1e-3)
        for field in ("conformation", "conformation_2", "conformation_3"):
            apart, size = numpy.abs(a[field] - b[field]).max(), numpy.abs(a[field]).max()
            print(f"  {field}: up to {size:.3g}, {apart:.2e} apart", flush=True)
            self.assertGreater(size, 0.01)
            self.assertLess(apart, 0.01 * size)
            self.assertTrue((b[field][oil] == 0).all() and (a[field][oil] == 0).all())

    def test_statistics(self):
        """After 300 steps height, spread and drift agree within 1 %, momentum within 1 % of what
        falling from the height gives."""
        # device code on the processor takes minutes a scene
        names = list(SCENES)[:1 if "on-host" in OOZE else None]
        for name in names:
            with self.subTest(name):
                scene = self.paper_scene(name, 30, CONVERGED)
                here = self.run_scene(scene, name + "_here", "cpu", 10)
                there = self.run_scene(scene, name + "_there", "cuda", 10)
                a, b = last_row(here), last_row(there)
                self.assertEqual(a["particles"], b["particles"])
                mass = a["particles"] * 1000 * read_attribute(here, 10, "spacing") ** 3
                fall = mass * (2 * 9.81 * a["my_height.height"]) ** 0.5
                scales = {"my_height.height": None, "my_spread.spread": None,
                          "my_drift.drift": None,
                          "my_momentum.x": fall, "my_momentum.y": fall, "my_momentum.z": fall}
                for key, scale in scales.items():
                    off = abs(a[key] - b[key]) / (scale or abs(a[key]))
                    print(f"  {name} {key}: {a[key]:.5g} and {b[key]:.5g}, {100 * off:.2g} %",
                          flush=True)
                    # water that splashes amplifies rounding: the drift of the blocks differs by 1 %
                    splash = name == "palette" and key == "my_drift.drift"
                    self.assertLess(off, 0.03 if splash else 0.01, key)


@unittest.skipUnless(MACHINE, "no machine for it")
class Runs(DeviceCase):
    def test_two_runs_are_equal(self):
        for method, text in POURED_BY_METHOD.items():
            with self.subTest(method):
                scene = self.write("scene_" + method, text)
                runs = [self.run_scene(scene, name + method, "cuda", 8)
                        for name in ("first", "second")]
                self.assertEqual(self.hash_of(runs[0]), self.hash_of(runs[1]))
                for name in ("probes.csv", "probes_steps.csv"):
                    self.assertEqual((runs[0] / name).read_bytes(), (runs[1] / name).read_bytes())

    def test_resumed_on_the_device_to_the_same_bits(self):
        for method, text in POURED_BY_METHOD.items():
            with self.subTest(method):
                scene = self.write("scene_" + method, text)
                whole = self.run_scene(scene, "whole" + method, "cuda", 8)
                cut = self.run_scene(scene, "cut" + method, "cuda", 3)
                self.run_scene(scene, "cut" + method, "cuda", 8, resume=True)
                self.assertEqual(self.hash_of(whole), self.hash_of(cut))

    def test_to_the_device_and_back(self):
        """A checkpoint goes from the processor to the GPU and back; what comes out is the same
        pour."""
        for method, text in POURED_BY_METHOD.items():
            with self.subTest(method):
                scene = self.write("scene_" + method, text)
                here = self.run_scene(scene, "here" + method, "cpu", 9)
                to_and_fro = self.run_scene(scene, "to_and_fro" + method, "cpu", 3)
                self.run_scene(scene, "to_and_fro" + method, "cuda", 6, resume=True)
                self.run_scene(scene, "to_and_fro" + method, "cpu", 9, resume=True)
                a, b = read(here, 9), read(to_and_fro, 9)
                self.assertEqual(sorted(a), sorted(b))
                self.assertGreater(len(a["id"]), 300)
                self.assertLess(len(set(a["id"]) ^ set(b["id"])), 0.01 * len(a["id"]))
                apart = a["position"].mean(axis=0) - b["position"].mean(axis=0)
                self.assertLess(numpy.abs(apart).max(), 0.1 * 0.02)

    def test_sources(self):
        """Emitters give the same particles, sinks take as many."""
        scene = self.write("scene", POURED)
        a = read(self.run_scene(scene, "here", "cpu", 12), 12)
        b = read(self.run_scene(scene, "there", "cuda", 12), 12)
        self.assertEqual(a["id"].max(), b["id"].max())
        self.assertLess(len(a["id"]), a["id"].max() - 10)
        self.assertLess(abs(len(a["id"]) - len(b["id"])), 0.02 * len(a["id"]))


@unittest.skipUnless(MACHINE, "no machine for it")
class Links(DeviceCase):
    def test_steps_from_the_same_state(self):
        """Without links a step agrees to rounding. With them it does so but for particles with new
        links, which are taut or not by rounding."""
        for strength, most in ((0, 1e-4), (1, 0.05)):
            with self.subTest(strength):
                text = POURED_LINKS.replace("{name: links}",
                                            f"{{name: links, link_strength: {strength}}}").replace(
                    "frame_rate: 30", "frame_rate: 120")
                scene, name = self.write("scene", text), f"strength_{strength}_"
                here = self.run_scene(scene, name + "here", "cpu", 20)
                there = self.folder / (name + "there")
                shutil.copytree(here, there)
                self.run_scene(scene, here.name, "cpu", 21, resume=True)
                self.run_scene(scene, there.name, "cuda", 21, resume=True)
                a, b = read(here, 21), read(there, 21)
                self.assertTrue((a["id"] == b["id"]).all())
                far = numpy.abs(a["position"] - b["position"]).max() / 0.02
                print(f"  links of strength {strength}: {far:.2e} spacings apart", flush=True)
                self.assertLess(far, most)

    def test_statistics(self):
        """A ball of the paper that drops and spreads: height and spread agree within 3 % after 300
        steps."""
        path = ROOT / "scenes/takahashi2014/ball_drop_small.yaml"
        scene = self.write("ball", f"ooze: 2\ninclude: {path}\nframe_rate: 10\n{PROBES}")
        a, b = (last_row(self.run_scene(scene, device, device, 3)) for device in ("cpu", "cuda"))
        for key in ("my_height.height", "my_spread.spread"):
            print(f"  ball {key}: {a[key]:.5g} and {b[key]:.5g}", flush=True)
            self.assertLess(abs(a[key] - b[key]), 0.03 * abs(a[key]), key)


class Bench(DeviceCase):
    FEW = ["--particles", 300, "--warm-up", 1, "--runs", 2, "--steps", 1]

    @unittest.skipUnless(MACHINE, "no machine for it")
    def test_of_a_scene(self):
        done = ooze("bench", "blocks", "--device", "cuda", "--json", *self.FEW)
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = json.loads(done.stdout)
        self.assertEqual((facts["device"], facts["threads"]), ("cuda", 1))
        self.assertGreater(facts["bytes_per_particle"], 200)
        for part in ("neighbours_lists", "method_velocity_operator", "method_density_multipliers"):
            self.assertGreater(facts[f"ms_per_call_{part}"], 0, part)
        parts = sum(facts[key] for key in facts if key.startswith("ms_per_step_method_"))
        self.assertAlmostEqual(parts / facts["ms_per_step_method"], 1, delta=0.1)

    @unittest.skipIf(MACHINE, "there is a machine")
    def test_without_a_machine(self):
        self.refused("cuda", "bench", "blocks", "--device", "cuda", *self.FEW)


if __name__ == "__main__":
    unittest.main(verbosity=2)
