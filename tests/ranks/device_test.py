"""Steps that several processes share on GPUs: the same bits as one process on a GPU, whatever the
number of processes and the cuts between them; what cannot be shared is refused in one sentence.
Device code may be compiled for the processor. Skipped without MPI, and without device code."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ranks_test  # noqa: E402

RANKS = (3,)
SLIME = "{density: 1000, modulus: 200, relaxation_time: 0.05}"
DIAGONAL = "name: conformation, velocity_preconditioner: diagonal"
MULTIGRID = "name: conformation, velocity_preconditioner: multigrid"
ELASTIC = "{density: 1400, modulus: 8000, relaxation_time: 0.5, solvent_viscosity: 5}"
DROPS = """
  - {name: drop, material: slime, shape: {type: sphere, position: [0.1, 0.3, 0.1], radius: 0.05},
     velocity: [0.3, 0.1, 6]}
  - {name: small, material: slime, shape: {type: sphere, position: [0.1, 0.4, -0.1], radius: 0.02},
     velocity: [0.3, 0.1, -6]}
  - {name: single, material: slime, shape: {type: box, position: [-0.2, 0.4, -0.1],
     size: [0.01, 0.01, 0.01]}}

periodic: {z: [-0.2, 0.2]}
max_travel: 20
emitters:"""
TORN = """ooze: 2
title: A soft body that meets the edge of a wall
method: {name: conformation, velocity_preconditioner: diagonal}
spacing: 0.01
time_step: 1/400
max_travel: 20
duration: 0.05
frame_rate: 40
materials:
  jelly: {density: 1000, modulus: 1}
  slime: {density: 1000, modulus: 200, relaxation_time: 0.05}
fluids:
  - {material: slime, shape: {type: box, position: [0, 0.04, 0], size: [0.1, 0.05, 0.1]}}
  - {material: jelly, body: soft, velocity: [0, 0, 30],
     shape: {type: box, position: [0, 0.12, 0], size: [0.08, 0.05, 0.1]}}
solids:
  - {name: wall, shape: {type: box, position: [0.05, 0.12, 0.25], size: [0.06, 0.2, 0.2]}}
periodic: {x: [-0.1, 0.1], z: [-0.4, 0.4]}
"""


def has_device():
    said = subprocess.run([ranks_test.OOZE, "version"], capture_output=True, text=True).stdout
    row = [line for line in said.splitlines() if line.strip().startswith("cuda")]
    return bool(row) and row[0].split()[1] == "yes" and "no GPU" not in row[0]


class DeviceRanksTest(ranks_test.RanksBase):
    ENVIRONMENT = dict(ranks_test.ENVIRONMENT, OOZE_DEVICE="cuda", OMP_NUM_THREADS="1")

    def test_conformation_has_the_same_bits(self):
        """Fluid, walls, a moving solid, a nozzle and a sink, on other cuts every ten substeps. The
        bits are not those of the processor: device code has made them."""
        text = ranks_test.variant("{" + DIAGONAL + "}", SLIME, duration="0.1")
        one = self.expect_same_bits(text, RANKS)
        other = self.folder / "processor"
        done = self.run_ooze(0, "run", self.scene(text), "-o", other, "--device", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(self.hash_of(other), self.hash_of(one))

    def test_rounded_directions_have_the_same_bits(self):
        """Those of large scenes."""
        self.ENVIRONMENT = dict(self.ENVIRONMENT, OOZE_PACK_FROM="100")
        text = ranks_test.variant("{" + DIAGONAL + "}", SLIME, duration="0.05")
        self.expect_same_bits(text, RANKS)

    def test_second_order_and_modes_have_the_same_bits(self):
        text = ranks_test.variant("{" + DIAGONAL + "}", ranks_test.TWO_MODES, duration="0.05")
        self.expect_same_bits(text, (3,))

    def test_last_pressure_and_mean_tolerance_have_the_same_bits(self):
        self.expect_same_bits_of_density_stages("0.05", RANKS)

    def test_last_pressure_resumes_with_another_number_of_processes(self):
        settings = ranks_test.WARM + ", " + ranks_test.MEAN
        self.expect_resumed(ranks_test.last_pressure(settings, "0.05"))

    def test_heat_and_surface_tension_have_the_same_bits(self):
        """Of two fluids and of walls; particles farther away than a support matter."""
        self.expect_same_bits(ranks_test.warm_fluids("0.05"), (3,))

    def test_dynamic_solids_have_the_same_bits(self):
        """That touch each other and the floor, with heat and surface tension; and one that expects
        a part of its push, in a film of three spacings."""
        text = ranks_test.warm_fluids("0.05")
        self.expect_same_bits(text.replace("\nair:", ranks_test.BALL_AND_CUBE + "\nair:"), (2, 3))
        text = ranks_test.variant("{" + DIAGONAL + "}", "{density: 1000, viscosity: 20}",
                                  duration="0.05")
        self.expect_same_bits(text.replace("\nprobes:", ranks_test.SINKING_CUBE), RANKS)

    def test_particle_bodies_have_the_same_bits(self):
        """Rigid bodies and a soft one that fall on fluid; a soft one that is torn apart in a
        periodic box, so that bonds are longer than a support."""
        text = ranks_test.variant("{" + DIAGONAL + "}", ranks_test.BODY_MATERIALS, duration="0.05")
        text = text.replace("\nemitters:", ranks_test.BODIES)
        self.expect_same_bits(text, RANKS)
        self.expect_same_bits(TORN, RANKS)

    def test_contacts_within_long_steps_have_the_same_bits(self):
        """6 steps of three spacings, in which surfaces of different processes meet."""
        text = ranks_test.variant("{" + DIAGONAL + ", impact_passes: 3}", SLIME, "1/60", "0.1")
        text = text.replace("frame_rate: 40", "frame_rate: 30\nmax_travel: 20")
        self.expect_same_bits(text.replace("\nemitters:", ranks_test.FAST_DROPS), (2, 3))

    def test_multigrid_has_the_same_bits(self):
        """Drops in free flight, which keep their momenta, in a periodic box; rigid bodies, which
        have smoothers of their own; contacts of long steps; and what `auto` chooses."""
        def scene(material, settings="", step="1/400", duration="0.025"):
            return ranks_test.variant("{" + MULTIGRID + settings + "}", material, step, duration)
        fast = scene(SLIME, ", impact_passes: 3", "1/60", "0.1")
        fast = fast.replace("frame_rate: 40", "frame_rate: 30\nmax_travel: 20")
        for text in (scene(ELASTIC).replace("\nemitters:", DROPS),
                     scene(ranks_test.BODY_MATERIALS).replace("\nemitters:", ranks_test.BODIES),
                     fast.replace("\nemitters:", ranks_test.FAST_DROPS),
                     ranks_test.variant("{name: conformation}", "{density: 1400, viscosity: 200}",
                                        duration="0.025")):
            self.expect_same_bits(text, RANKS)

    def test_constraint_has_the_same_bits(self):
        """Its formulations, and with rounded directions, as in large scenes."""
        material = "{density: 1000, modulus: 400, relaxation_time: 0.1}"
        for words in ("consistent", "consistent, solver: conjugate_gradients", "paper"):
            text = ranks_test.variant(f"{{name: constraint, formulation: {words}}}", material,
                                      duration="0.025")
            for pack_from in (1 << 60, 100) if words != "paper" else (1 << 60,):
                with self.subTest(words, pack_from=pack_from):
                    self.ENVIRONMENT = dict(self.ENVIRONMENT, OOZE_PACK_FROM=str(pack_from))
                    self.expect_same_bits(text, RANKS)

    def test_separate_drops_in_a_periodic_box_have_the_same_bits(self):
        """Drops accept the initial guess of the velocities each for itself, wherever the cuts are;
        they cross the box, and move apart by several supports a step."""
        text = ranks_test.variant("{" + DIAGONAL + "}", ELASTIC, duration="0.05")
        self.expect_same_bits(text.replace("\nemitters:", DROPS), RANKS)

    def test_few_particles_in_a_periodic_box_have_the_same_bits(self):
        self.expect_same_bits(ranks_test.FEW, (3,))

    def test_ballistic_has_the_same_bits(self):
        self.expect_same_bits(ranks_test.variant("{name: ballistic}", "{density: 1000, drag: 1}",
                                                 duration="0.1"), RANKS)

    def test_stress_and_wcsph_have_the_same_bits(self):
        text = ranks_test.variant("{name: stress}", SLIME, "1/4000", "0.025")
        self.expect_same_bits(text, (3,))
        text = ranks_test.variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000",
                                  "0.025")
        self.expect_same_bits(text, (3,))

    def test_ballistic_with_dynamic_solids_has_the_same_bits(self):
        text = ranks_test.variant("{name: ballistic}", "{density: 1000}", duration="0.1")
        self.expect_same_bits(text.replace("\nprobes:", ranks_test.BALL), RANKS)

    def test_cauchy_has_the_same_bits(self):
        text = ranks_test.variant("{name: cauchy, pressure_tolerance: 1e-3}", ranks_test.CAUCHY,
                                  duration="0.1")
        self.expect_same_bits(text, (2, 3))

    def test_cauchy_with_heat_tension_and_dynamic_solids_has_the_same_bits(self):
        text = ranks_test.warm_cauchy("0.05")
        self.expect_same_bits(text, RANKS)
        self.expect_same_bits(ranks_test.published_cauchy(text), RANKS)

    def test_cauchy_in_a_closed_box_has_the_same_bits(self):
        self.expect_same_bits(ranks_test.closed_cauchy("0.05"), RANKS)

    def test_blend_has_the_same_bits(self):
        """Reference shapes are taken anew every 20 steps, and fluid is added and removed."""
        self.expect_same_bits(ranks_test.blend("", "0.1"), (2, 3))

    def test_blend_with_regions_of_particles_and_dynamic_solids_has_the_same_bits(self):
        text = ranks_test.blend("regions: particles, region_radius: 2, ", "0.05")
        text = text.replace("\nprobes:", ranks_test.BALL_AND_CUBE + "\nprobes:")
        self.expect_same_bits(text, RANKS)

    def test_blend_with_a_soft_body_has_the_same_bits(self):
        self.expect_same_bits(ranks_test.soft_blend("0.1"), RANKS)

    def test_links_have_the_same_bits(self):
        self.expect_same_bits(ranks_test.variant("{name: links}", ranks_test.LINKS,
                                                 duration="0.1"), (2, 3))

    def test_elastic_links_and_dynamic_solids_have_the_same_bits(self):
        self.expect_same_bits(ranks_test.elastic_links(), RANKS)

    def test_links_to_far_particles_have_the_same_bits(self):
        """A weak block is torn apart, so that the other ends of its links are not near; with and
        without solids that it moves."""
        text = ranks_test.variant("{name: links, iterations: 2, link_strength: 0.02, "
                                  "link_reach: 1}", "{density: 1000, label: elastic}",
                                  duration="0.05")
        text = ranks_test.torn(text, 4)
        self.expect_same_bits(text, RANKS)
        self.expect_same_bits(text.replace("\nprobes:", ranks_test.BALL_AND_CUBE + "\nprobes:"),
                              RANKS)

    def test_links_with_heat_in_a_periodic_box_have_the_same_bits(self):
        material = "{density: 1000, diffusivity: 2e-5, heat_capacity: 2000, temperature_table: " \
                   "[{temperature: 20, stretch_rate: 1}, {temperature: 80, stretch_rate: 30}]}"
        text = ranks_test.variant("{name: links, walls: akinci, kernels: poly6_spiky}", material,
                                  duration="0.05")
        text = text.replace("friction: inf}", "friction: inf, temperature: 90}")
        text = text.replace("\nprobes:", "\nperiodic: {z: [-0.2, 0.2]}\n"
                            "air: {temperature: 20, transfer: 10}\nprobes:")
        self.expect_same_bits(text, RANKS)

    def test_few_particles_with_links_have_the_same_bits(self):
        """Some processes have none."""
        text = ranks_test.FEW.replace(DIAGONAL, "name: links")
        self.expect_same_bits(text.replace(SLIME, ranks_test.LINKS), RANKS)

    def test_springs_have_the_same_bits(self):
        self.expect_same_bits(ranks_test.variant(ranks_test.SPRINGS_METHOD, ranks_test.SPRINGS,
                                                 duration="0.05"), (2, 3))

    def test_long_springs_have_the_same_bits(self):
        self.expect_same_bits(ranks_test.long_springs(), RANKS)

    def test_springs_in_periodic_boxes_have_the_same_bits(self):
        """Also few particles: some processes have none."""
        text = ranks_test.variant(ranks_test.SPRINGS_METHOD, ranks_test.SPRINGS, duration="0.05")
        self.expect_same_bits(text.replace("\nprobes:", "\nperiodic: {z: [-0.2, 0.2]}\nprobes:"),
                              RANKS)
        text = ranks_test.FEW.replace("{" + DIAGONAL + "}", ranks_test.SPRINGS_METHOD)
        self.expect_same_bits(text.replace(SLIME, ranks_test.SPRINGS), RANKS)

    def test_links_and_springs_resume_with_another_number_of_processes(self):
        self.expect_resumed(ranks_test.variant("{name: links}", ranks_test.LINKS,
                                               duration="0.05"))
        self.expect_resumed(ranks_test.variant(ranks_test.SPRINGS_METHOD, ranks_test.SPRINGS,
                                               duration="0.05"))

    def test_cauchy_and_blend_resume_with_another_number_of_processes(self):
        self.expect_resumed(ranks_test.variant("{name: cauchy}", ranks_test.CAUCHY,
                                               duration="0.05"))
        self.expect_resumed(ranks_test.blend("", "0.05"))

    def test_resumes_with_another_number_of_processes(self):
        self.expect_resumed(ranks_test.variant("{" + DIAGONAL + "}", SLIME, duration="0.05"))

    def test_refuses_what_cannot_be_shared(self):
        text = ranks_test.variant("{name: springs}", ranks_test.SPRINGS, duration="0.05")
        run = self.folder / "run"
        done = self.run_ooze(2, "run", self.scene(text.replace("\nprobes:", ranks_test.BALL)),
                             "-o", run)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("2 processes cannot share these steps on GPUs, because"),
                         1, done.stderr)
        self.assertIn("dynamic solids of method 'springs'", done.stderr)
        self.assertFalse(run.exists(), os.listdir(self.folder))


if __name__ == "__main__":
    if not ranks_test.has_mpi() or not has_device():
        print("no MPI, or no device code")
        sys.exit(77)
    unittest.main()
