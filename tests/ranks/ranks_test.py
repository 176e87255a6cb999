"""Runs shared by several processes over MPI: the same bits as one process, whatever the number of
processes and the cuts between them; a process that dies costs nothing but the time since the last
state; what cannot be shared is refused in one sentence. Skipped without MPI."""
import csv
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("OOZE_BUILD_DIR", ROOT / "build"))
OOZE = str(BUILD / "ooze")
SCENE = pathlib.Path(__file__).resolve().parent / "mixed.yaml"
# The processes share the cores, and yield them while they wait.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OOZE_DEVICE="cpu")
RANKS = (3, 7)
KILLS = 4
HOST = socket.gethostname()
LINKS = "{density: 1000, stretch_rate: 3}"
SPRINGS_METHOD = "{name: springs, unit: 1/400}"
SPRINGS = "{density: 1000, spring_stiffness: 0.3, linear_viscosity: 0.5}"
BALL = """
  - name: ball
    shape: {type: sphere, radius: 0.03, position: [0, 0.2, 0.03]}
    density: 700
    friction: 1

probes:"""


def has_mpi():
    said = subprocess.run([OOZE, "version"], capture_output=True, text=True).stdout
    row = [line for line in said.splitlines() if line.strip().startswith("mpi")]
    return bool(row) and row[0].split()[1] == "yes" and shutil.which("mpirun") is not None


def variant(method, material, step="1/400", duration="0.25"):
    """The scene with another method and material."""
    text = SCENE.read_text()
    lines = []
    for line in text.splitlines():
        if line.startswith("method:"):
            line = f"method: {method}"
        elif line.startswith("  slime:"):
            line = f"  slime: {material}"
        elif line.startswith("time_step:"):
            line = f"time_step: {step}"
        elif line.startswith("duration:"):
            line = f"duration: {duration}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def blend(settings, duration):
    """Jelly that flows, with a jet of oil; the speed of sound is that of whole steps."""
    method = "{name: blend, " + settings + "sound_speed: 3, update_interval: 0.02}"
    material = "{density: 1000, viscosity: 2, fluid_share: 0.4, update_threshold: 1, " \
               "modulus: 2000}\n  oil: {density: 900, viscosity: 1, fluid_share: 0.9}"
    text = variant(method, material, "1/1000", duration)
    return text.replace("{name: jet, material: slime", "{name: jet, material: oil")


CAUCHY = "{density: 1000, modulus: 200, relaxation_time: 0.05}"
BALL_AND_CUBE = """
  - name: ball
    shape: {type: sphere, radius: 0.03, position: [0, 0.2, 0.03]}
    density: 700
    friction: inf
  - {name: cube, shape: {type: box, size: [0.05, 0.05, 0.05], position: [0.02, 0.2, -0.05]},
     density: 1500}
"""
BODY_MATERIALS = "{density: 1000, modulus: 200, relaxation_time: 0.05}\n" \
                 "  wood: {density: 600}\n  jelly: {density: 1000, modulus: 5000}"
BODIES = """
  - {name: log, material: wood, body: rigid, velocity: [0, -1, 0],
     shape: {type: box, position: [0, 0.18, 0], size: [0.05, 0.05, 0.14]}}
  - {name: cube, material: wood, body: rigid, velocity: [0, -1, 0],
     shape: {type: box, position: [0.02, 0.26, 0.05], size: [0.05, 0.05, 0.05]}}
  - {name: jelly, material: jelly, body: soft, velocity: [0, -1, 0],
     shape: {type: box, position: [-0.04, 0.26, -0.03], size: [0.05, 0.05, 0.14]}}

emitters:"""
FAST_DROPS = """
  - {name: drop, material: slime, shape: {type: sphere, position: [0, 0.25, 0], radius: 0.045},
     velocity: [0, -3, 0]}
  - {name: other, material: slime, shape: {type: sphere, position: [0.1, 0.26, 0.04], radius: 0.03},
     velocity: [-3, 0, 0]}

emitters:"""
SINKING_CUBE = """
  - {name: cube, shape: {type: box, size: [0.06, 0.06, 0.06], position: [0.01, 0.065, 0]},
     density: 2000, friction: inf}

probes:"""
TWO_MODES = "{density: 1000, modulus: 300, relaxation_time: 0.2, modulus_2: 100, " \
            "relaxation_time_2: 0.01, solvent_viscosity: 1}"


def warm_fluids(duration):
    """Two fluids with heat and surface tension, between warm walls and cold air."""
    material = "{density: 1000, modulus: 300, surface_tension: 0.4, contact_angle: 60, " \
               "diffusivity: 2e-5, heat_capacity: 2000, temperature_table: " \
               "[{temperature: 20, relaxation_time: 0.05}, " \
               "{temperature: 80, relaxation_time: 0.005}]}\n" \
               "  oil: {density: 900, viscosity: 1, surface_tension: 0.3, " \
               "interface_tension: 0.2}"
    text = variant("{name: conformation, velocity_preconditioner: diagonal}", material,
                   duration=duration)
    text = text.replace("{name: jet, material: slime", "{name: jet, material: oil")
    text = text.replace("friction: inf}", "friction: inf, temperature: 90}")
    return text.replace("\nprobes:", "\nair: {temperature: 20, transfer: 10}\nprobes:")


def warm_cauchy(duration):
    """Two fluids with heat and surface tension that carry dynamic solids."""
    material = "{density: 1000, modulus: 300, surface_tension: 0.4, contact_angle: 60, " \
               "diffusivity: 2e-5, heat_capacity: 2000, temperature_table: " \
               "[{temperature: 20, relaxation_time: 0.05}, " \
               "{temperature: 80, relaxation_time: 0.005}]}\n" \
               "  oil: {density: 900, viscosity: 1, surface_tension: 0.3, " \
               "stress_model: viscous}"
    text = variant("{name: cauchy}", material, duration=duration)
    text = text.replace("{name: jet, material: slime", "{name: jet, material: oil")
    text = text.replace("friction: inf}", "friction: inf, temperature: 90}")
    heat = "\nair: {temperature: 20, transfer: 10}\nprobes:"
    return text.replace("\nprobes:", BALL_AND_CUBE + heat)


def published_cauchy(text):
    return text.replace("{name: cauchy}", "{name: cauchy, scheme: classic, "
                        "viscous_step: explicit, tension: potential}")


def closed_cauchy(duration):
    """Without a free surface the pressure is determined up to a constant."""
    text = variant("{name: cauchy}", "{density: 1000, viscosity: 5}", duration=duration)
    return text[:text.index("fluids:")] + """
fluids:
  - {name: low, material: slime, velocity: [1, 0, 0.5],
     shape: {type: box, position: [0, 0.07, 0], size: [0.16, 0.06, 0.16]}}
  - {name: high, material: slime, velocity: [-1, 0.3, 0],
     shape: {type: box, position: [0, 0.13, 0], size: [0.16, 0.06, 0.16]}}
gravity: [0, 0, 0]
periodic: {x: [-0.08, 0.08], y: [0.04, 0.16], z: [-0.08, 0.08]}
probes:
  - {kind: count}
"""


def soft_blend(duration):
    """A soft body, of a material whose reference shape is taken anew."""
    return blend("", duration).replace("\nemitters:", """
  - {name: jelly, material: slime, body: soft, velocity: [0, -1, 0],
     shape: {type: box, position: [-0.04, 0.26, -0.03], size: [0.05, 0.05, 0.14]}}

emitters:""")


def last_pressure(settings, duration):
    """Thick honey on the floor, whose density stage has other settings."""
    method = "{name: conformation, velocity_preconditioner: diagonal, density_iterations: 40, "
    text = variant(method + settings + "}", "{density: 1400, viscosity: 400}", "1/200", duration)
    return text.replace("position: [0, 0.1, 0]", "position: [0, 0.06, 0]")


def elastic_links():
    """Links of any length, links to solids that fluid pushes, materials of other masses."""
    material = "{density: 1000, label: elastic}\n  oil: {density: 800, extension: 1.01}"
    text = variant("{name: links, iterations: 3}", material, duration="0.05")
    text = text.replace("{name: jet, material: slime", "{name: jet, material: oil")
    return text.replace("\nprobes:", BALL)


def torn(text, speed):
    """Halves of the block fly apart, at twice the speed."""
    return text.replace("size: [0.16, 0.12, 0.16]}}",
                        f"size: [0.16, 0.12, 0.08]}}, velocity: [0, 0, {speed}]}}\n"
                        "  - {name: left, material: slime, shape: {type: box, "
                        "position: [0, 0.1, -0.08], size: [0.16, 0.12, 0.08]}, "
                        f"velocity: [0, 0, -{speed}]}}")


def long_springs():
    """The block is torn apart, so that springs become longer than the support."""
    material = "{density: 1000, spring_stiffness: 0.01, yield_ratio: 1, plasticity: 0}"
    return torn(variant(SPRINGS_METHOD, material, duration="0.05"), 8)


WARM = "density_warm_start: true"
MEAN = "density_mean_tolerance: 1e-4"
FEW = """ooze: 2
title: Few particles
method: {name: conformation, velocity_preconditioner: diagonal}
spacing: 0.01
time_step: 1/1000
duration: 0.05
frame_rate: 40
materials:
  slime: {density: 1000, modulus: 200, relaxation_time: 0.05}
fluids:
  - {material: slime, shape: {type: box, position: [0.045, 0.04, 0], size: [0.05, 0.05, 0.05]},
     velocity: [1, 0, 0]}
periodic: {x: [-0.06, 0.06], y: [-0.06, 0.06]}
"""


class RanksBase(unittest.TestCase):
    """Runs on one process and on several, which are to end with the same bits."""
    ENVIRONMENT = ENVIRONMENT

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze_ranks_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def command(self, ranks, *words):
        start = ["mpirun", "-n", str(ranks)] if ranks else []
        return start + [OOZE, *map(str, words), "--quiet"]

    def run_ooze(self, ranks, *words, shuffle=0):
        environment = dict(self.ENVIRONMENT, OOZE_RANKS_SHUFFLE=str(shuffle))
        return subprocess.run(self.command(ranks, *words), env=environment, capture_output=True,
                              text=True, timeout=900)

    def hash_of(self, run):
        said = subprocess.run([OOZE, "info", "--hash", str(run)], capture_output=True, text=True,
                              check=True)
        return said.stdout.strip()

    def scene(self, text):
        path = self.folder / "scene.yaml"
        path.write_text(text)
        return path

    def expect_same_bits(self, text, ranks):
        """Returns the folder of the run on one process."""
        scene = self.scene(text)
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        one = folder / "one"
        done = self.run_ooze(0, "run", scene, "-o", one, "--threads", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = self.hash_of(one)
        for count in ranks:
            run = folder / f"ranks{count}"
            done = self.run_ooze(count, "run", scene, "-o", run, shuffle=10)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.hash_of(run), wanted, f"{count} processes")
            for table in one.glob("*.csv"):
                self.assertEqual((run / table.name).read_text(), table.read_text(), table.name)
        return one

    def expect_same_bits_of_density_stages(self, duration, ranks):
        """Each of the settings, and both; each leads to other bits."""
        hashes = set()
        for settings in (WARM, MEAN, WARM + ", " + MEAN):
            with self.subTest(settings):
                hashes.add(self.hash_of(self.expect_same_bits(last_pressure(settings, duration),
                                                              ranks)))
        self.assertEqual(len(hashes), 3)

    def expect_resumed(self, text):
        scene = self.scene(text)
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        one, run = folder / "one", folder / "several"
        done = self.run_ooze(0, "run", scene, "-o", one)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_ooze(3, "run", scene, "-o", run, "--frames", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_ooze(2, "run", "--resume", run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.hash_of(run), self.hash_of(one))


class RanksTest(RanksBase):
    def test_conformation_has_the_same_bits(self):
        self.expect_same_bits(SCENE.read_text(), RANKS)

    def test_few_particles_in_a_periodic_box_have_the_same_bits(self):
        """Fewer than the block at whose multiples ranges begin, so that processes have none; some
        are placed outside of the box."""
        self.expect_same_bits(FEW, (3,))

    def test_second_order_and_modes_have_the_same_bits(self):
        method = "{name: conformation, velocity_preconditioner: diagonal}"
        self.expect_same_bits(variant(method, TWO_MODES, duration="0.1"), (3,))

    def test_last_pressure_and_mean_tolerance_have_the_same_bits(self):
        self.expect_same_bits_of_density_stages("0.1", (3,))

    def test_last_pressure_resumes_with_another_number_of_processes(self):
        self.expect_resumed(last_pressure(WARM + ", " + MEAN, "0.1"))

    def test_heat_surface_tension_and_dynamic_solids_have_the_same_bits(self):
        text = warm_fluids("0.1")
        text = text.replace("\nair:", BALL_AND_CUBE + "\nair:")
        self.expect_same_bits(text, (3,))

    def test_a_cube_that_sinks_to_the_floor_has_the_same_bits(self):
        """Below it is a film of three spacings, in which it expects a part of its push."""
        text = variant("{name: conformation, velocity_preconditioner: diagonal}",
                       "{density: 1000, viscosity: 20}", duration="0.1")
        self.expect_same_bits(text.replace("\nprobes:", SINKING_CUBE), (3,))

    def test_honey_by_multigrid_has_the_same_bits(self):
        """100 steps. The probe has the iterations of each step, so that these are compared too."""
        text = variant("{name: conformation, velocity_preconditioner: multigrid}",
                       "{density: 1400, viscosity: 5000}")
        text = text.replace("\nprobes:", """
  - name: ball
    shape: {type: sphere, radius: 0.03, position: [0, 0.2, 0.03]}
    density: 700
    friction: inf

probes:
  - {kind: solver, every_step: true}""")
        run = self.expect_same_bits(text, RANKS)
        with open(run / "probes_steps.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 101)  # with step 0
        self.assertTrue(any(row["solver.multigrid"] == "1" for row in rows))

    def test_multigrid_of_separate_bodies_of_fluid_has_the_same_bits(self):
        """Drops in free flight, which keep their momenta; a periodic box whose cells of the grids
        are longer than supports; few particles, whose only grid all processes solve."""
        method = "{name: conformation, velocity_preconditioner: multigrid}"
        text = variant(method, "{density: 1400, modulus: 8000, relaxation_time: 0.5, "
                       "solvent_viscosity: 5}", duration="0.025")
        text = text.replace("\nemitters:", """
  - {name: drop, material: slime, shape: {type: sphere, position: [0.1, 0.3, 0.1], radius: 0.05},
     velocity: [0.3, 0.1, 1.5]}
  - {name: small, material: slime, shape: {type: sphere, position: [0.1, 0.4, -0.1], radius: 0.02},
     velocity: [0.3, 0.1, 1.5]}
  - {name: single, material: slime, shape: {type: box, position: [-0.2, 0.4, -0.1],
     size: [0.01, 0.01, 0.01]}}

periodic: {z: [-0.2, 0.2]}
emitters:""")
        self.expect_same_bits(text, (2, 7))
        few = variant(method, "{density: 1400, viscosity: 50}", duration="0.025")
        few = few.replace("size: [0.16, 0.12, 0.16]", "size: [0.05, 0.05, 0.05]")
        few = few.replace("emitters:\n  - {name: jet, material: slime, radius: 0.02, "
                          "position: [0, 0.35, 0.02], speed: 1.0}\n", "")
        self.expect_same_bits(few, (2,))

    def test_contacts_within_long_steps_have_the_same_bits(self):
        """6 steps of three spacings: a run of 100 would have moved everything out of sight."""
        text = variant("{name: conformation, impact_passes: 3, velocity_preconditioner: multigrid}",
                       "{density: 1000, modulus: 200, relaxation_time: 0.05}", "1/60", "0.1")
        text = text.replace("frame_rate: 40", "frame_rate: 30\nmax_travel: 20")
        self.expect_same_bits(text.replace("\nemitters:", FAST_DROPS), (3,))

    def test_other_formulations_have_the_same_bits(self):
        """20 steps: the same sweeps in every step."""
        material = "{density: 1000, modulus: 400, relaxation_time: 0.1}"
        duration = "0.05"
        for words in ("consistent", "consistent, solver: conjugate_gradients", "paper"):
            with self.subTest(words):
                text = variant(f"{{name: constraint, formulation: {words}}}", material,
                               duration=duration)
                self.expect_same_bits(text, (3,))

    def test_particle_bodies_have_the_same_bits(self):
        """Rigid bodies and a soft one that fall on fluid, for 40 steps; with the diagonal
        preconditioner, and with multigrid, in which rigid bodies have smoothers of their own."""
        for words, steps in (("velocity_preconditioner: diagonal", "0.1"),
                             ("velocity_preconditioner: multigrid", "0.025")):
            with self.subTest(words):
                text = variant(f"{{name: conformation, {words}}}", BODY_MATERIALS, duration=steps)
                self.expect_same_bits(text.replace("\nemitters:", BODIES), (3,))

    def test_stress_has_the_same_bits(self):
        text = variant("{name: stress}", "{density: 1000, modulus: 200, relaxation_time: 0.05}",
                       "1/4000", "0.025")
        self.expect_same_bits(text, (4,))

    def test_wcsph_has_the_same_bits(self):
        text = variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000", "0.05")
        self.expect_same_bits(text, (4,))

    def test_links_have_the_same_bits(self):
        self.expect_same_bits(variant("{name: links}", LINKS), (3,))
        self.expect_same_bits(elastic_links(), (3,))

    def test_springs_have_the_same_bits(self):
        self.expect_same_bits(variant(SPRINGS_METHOD, SPRINGS), RANKS)

    def test_long_springs_and_dynamic_solids_have_the_same_bits(self):
        self.expect_same_bits(long_springs().replace("\nprobes:", BALL), (3,))

    def test_links_and_springs_resume_with_fewer_processes(self):
        self.expect_resumed(variant("{name: links}", LINKS, duration="0.05"))
        self.expect_resumed(variant(SPRINGS_METHOD, SPRINGS, duration="0.05"))

    def test_ballistic_has_the_same_bits(self):
        text = variant("{name: ballistic}", "{density: 1000}")
        self.expect_same_bits(text.replace("\nprobes:", BALL_AND_CUBE + "\nprobes:"),
                              (4,))

    def test_cauchy_has_the_same_bits(self):
        self.expect_same_bits(variant("{name: cauchy, pressure_tolerance: 1e-3}", CAUCHY),
                              (3,))

    def test_cauchy_with_heat_tension_and_dynamic_solids_has_the_same_bits(self):
        text = warm_cauchy("0.1")
        self.expect_same_bits(text, (3,))
        self.expect_same_bits(published_cauchy(text), (3,))

    def test_cauchy_in_a_closed_box_has_the_same_bits(self):
        self.expect_same_bits(closed_cauchy("0.05"), (3,))

    def test_blend_has_the_same_bits(self):
        """Reference shapes are taken anew every 20 steps, and fluid is added and removed."""
        self.expect_same_bits(blend("", "0.1"), (3,))

    def test_blend_with_regions_of_particles_and_dynamic_solids_has_the_same_bits(self):
        text = blend("regions: particles, region_radius: 2, ", "0.05")
        self.expect_same_bits(text.replace("\nprobes:", BALL_AND_CUBE + "\nprobes:"),
                              (3,))

    def test_blend_with_a_soft_body_has_the_same_bits(self):
        self.expect_same_bits(soft_blend("0.1"), (3,))

    def test_hosts_with_networks_of_their_own(self):
        """Network namespaces stand for hosts; messages between them go over TCP."""
        hosts = str(pathlib.Path(__file__).resolve().parent / "hosts.sh")
        made = subprocess.run([hosts, "up", "2"], capture_output=True, text=True)
        self.addCleanup(subprocess.run, [hosts, "down", "2"], capture_output=True)
        if made.returncode != 0:
            self.skipTest("no network namespaces can be made here")
        scene = self.scene(variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000",
                                   "0.025"))
        one, run = self.folder / "one", self.folder / "hosts"
        self.run_ooze(0, "run", scene, "-o", one)
        done = subprocess.run(
            ["mpirun", "--mca", "plm_rsh_agent", hosts, "--mca", "oob_tcp_if_include",
             "10.77.0.0/24", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include",
             "10.77.0.0/24", "--host", "10.77.0.1:2,10.77.0.2:1", "-n", "3", OOZE, "run",
             str(scene), "-o", str(run), "--quiet"], env=ENVIRONMENT, capture_output=True,
            text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.hash_of(run), self.hash_of(one))

    def test_resumes_with_another_number_of_processes(self):
        self.expect_resumed(variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000",
                                    "0.05"))

    def test_cauchy_and_blend_resume_with_another_number_of_processes(self):
        self.expect_resumed(variant("{name: cauchy}", CAUCHY, duration="0.1"))
        self.expect_resumed(blend("", "0.05"))

    def test_refuses_what_cannot_be_shared(self):
        for text, reason in (
                (variant("{name: springs, order: sequential}", "{density: 1000}"),
                 "'order: sequential' of springs needs one process"),
                (variant("{name: conformation, pressure: grid}", "{viscosity: 10}"),
                 "'pressure: grid' needs one process; 'pressure: density_stage' does not")):
            with self.subTest(reason):
                run = self.folder / "run"
                done = self.run_ooze(2, "run", self.scene(text), "-o", run)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count("cannot share these steps, because " + reason),
                                 1, done.stderr)
                self.assertFalse(run.exists())

    def test_dry_run_says_the_memory_of_a_process(self):
        done = subprocess.run(self.command(2, "run", SCENE, "--dry-run"), env=ENVIRONMENT,
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("a process"), 1, done.stdout)

    def no_memory(self):
        """A library that refuses large allocations of one process, after some of them."""
        source, shim = self.folder / "no_memory.c", self.folder / "no_memory.so"
        source.write_text("""
            #include <errno.h>
            #include <stdatomic.h>
            #include <stdlib.h>
            static _Atomic long granted;
            void *aligned_alloc(size_t alignment, size_t bytes)
            {
                void *block = NULL;
                const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *victim = getenv("VICTIM");
                long grants = atol(getenv("GRANTS"));
                if (rank && atoi(rank) == atoi(victim) && bytes > 20000 && granted++ >= grants) {
                    errno = ENOMEM;
                    return NULL;
                }
                return posix_memalign(&block, alignment, bytes) ? NULL : block;
            }""")
        if not shutil.which("cc"):
            self.skipTest("no compiler")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(shim), str(source)], check=True)
        return shim

    def test_a_process_without_memory_says_which_and_where(self):
        shim = self.no_memory()
        scene = self.scene(variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000",
                                   "0.05"))
        said = []
        for victim, grants in ((0, 40), (1, 0), (1, 8), (2, 20)):
            words = self.command(3, "run", scene, "-o", self.folder / f"run{victim}_{grants}")
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=300,
                env=dict(ENVIRONMENT, LD_PRELOAD=str(shim), VICTIM=str(victim),
                         GRANTS=str(grants)))
            named = [line for line in done.stderr.splitlines() if line.startswith("ooze: ")]
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(len(named), 1, done.stderr)
            self.assertRegex(named[0], f"process {victim} on '{HOST}'.*out of memory")
            said += named
        self.assertTrue(any("cannot begin" not in line for line in said), said)

    def test_a_process_that_cannot_read_the_scene_ends_all(self):
        """As where a host does not see the folder of the scene."""
        scene, run = self.scene(variant("{name: wcsph}", "{density: 1000}")), self.folder / "run"
        one = [OOZE, "run", str(scene), "-o", str(run), "--quiet"]
        other = [OOZE, "run", str(self.folder / "missing.yaml"), "-o", str(run), "--quiet"]
        done = subprocess.run(["mpirun", "-n", "1", *one, ":", "-n", "1", *other],
                              env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, f"process 1 on '{HOST}' cannot begin: error: .*missing.yaml")
        self.assertFalse(run.exists())

    def test_a_full_disk_says_which_and_where(self):
        scene = self.scene(variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000",
                                   "0.05"))
        place, one = self.folder / "small", self.folder / "one"
        place.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2000k", "tmpfs", str(place)],
                                 capture_output=True)
        if mounted.returncode:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)])
        self.run_ooze(0, "run", scene, "-o", one)
        frame = (one / "frames" / "frame_000000.h5").stat().st_size
        (place / "ballast").write_bytes(bytes(2000 * 1024 - frame * 3 // 2 - 64 * 1024))
        done = self.run_ooze(3, "run", scene, "-o", place / "run")
        named = [line for line in done.stderr.splitlines() if line.startswith("ooze: ")]
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(named), 1, done.stderr)
        self.assertRegex(named[0], f"process 0 on '{HOST}'.*No space left")
        (place / "ballast").unlink()
        done = self.run_ooze(2, "run", scene, "-o", place / "run", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.hash_of(place / "run"), self.hash_of(one))

    def rank_processes(self, parent):
        """The processes that mpirun has started."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True,
                                text=True).stdout
        return [int(word) for word in listed.split()]

    def test_a_process_that_is_killed_costs_no_frame(self):
        scene = self.scene(variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000",
                                   "0.05"))
        one = self.folder / "one"
        self.run_ooze(0, "run", scene, "-o", one)
        wanted = self.hash_of(one)
        dice, began, hits = random.Random(26), time.monotonic(), 0
        done = self.run_ooze(3, "run", scene, "-o", self.folder / "three")
        self.assertEqual(done.returncode, 0, done.stderr)
        duration = time.monotonic() - began
        for kill in range(KILLS):
            run = self.folder / f"killed{kill}"
            process = subprocess.Popen(
                self.command(3, "run", scene, "-o", run, "--checkpoint-every", 0.2),
                env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(duration * (0.1 + 0.8 * dice.random()))
            children = self.rank_processes(process.pid)
            if children:
                os.kill(dice.choice(children), signal.SIGKILL)
            said = process.communicate(timeout=120)[1]
            if process.returncode == 0:
                continue  # it had finished
            self.assertIn("killed", said.lower())
            hits += 1
            done = self.run_ooze(2, "run", scene, "-o", run, "--resume")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.hash_of(run), wanted)
            shutil.rmtree(run)
        print(f"\n{hits} of {KILLS} runs were killed before their end", file=sys.stderr)
        self.assertGreater(hits, 0)


if __name__ == "__main__":
    if not has_mpi():
        print("this build has no MPI, or mpirun is missing")
        sys.exit(77)
    unittest.main()
