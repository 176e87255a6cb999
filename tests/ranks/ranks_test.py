"""Runs shared by several processes over MPI: the same bits as one process, whatever the number of
processes and the cuts between them; a process that dies costs nothing but the time since the last
state; what cannot be shared is refused in one sentence. Skipped without MPI."""
import csv
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("OOZE_BUILD_DIR", ROOT / "build"))
OOZE = str(BUILD / "ooze")
FULL = os.environ.get("OOZE_FULL") == "1"
SCENE = pathlib.Path(__file__).resolve().parent / "mixed.yaml"
# The processes share the cores, and yield them while they wait.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OOZE_DEVICE="cpu")
RANKS = (1, 2, 3, 4, 7) if FULL else (2, 3, 7)
KILLS = 20 if FULL else 1


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


class RanksTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze_ranks_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def command(self, ranks, *words):
        start = ["mpirun", "-n", str(ranks)] if ranks else []
        return start + [OOZE, *map(str, words), "--quiet"]

    def run_ooze(self, ranks, *words, shuffle=0):
        environment = dict(ENVIRONMENT, OOZE_RANKS_SHUFFLE=str(shuffle))
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

    def test_conformation_has_the_same_bits(self):
        self.expect_same_bits(SCENE.read_text(), RANKS)

    def test_second_order_and_modes_have_the_same_bits(self):
        method = "{name: conformation, velocity_preconditioner: mass, divergence_iterations: 2}"
        material = "{density: 1000, modulus: 300, relaxation_time: 0.2, modulus_2: 100, " \
                   "relaxation_time_2: 0.01, solvent_viscosity: 1}"
        self.expect_same_bits(variant(method, material, duration="0.1"), (3, 4) if FULL else (3,))

    def test_heat_surface_tension_and_dynamic_solids_have_the_same_bits(self):
        material = "{density: 1000, modulus: 300, surface_tension: 0.4, contact_angle: 60, " \
                   "diffusivity: 2e-5, heat_capacity: 2000, temperature_table: " \
                   "[{temperature: 20, relaxation_time: 0.05}, " \
                   "{temperature: 80, relaxation_time: 0.005}]}\n" \
                   "  oil: {density: 900, viscosity: 1, surface_tension: 0.3, " \
                   "interface_tension: 0.2}"
        text = variant("{name: conformation, velocity_preconditioner: mass}", material,
                       duration="0.1")
        text = text.replace("{name: jet, material: slime", "{name: jet, material: oil")
        text = text.replace("friction: inf}", "friction: inf, temperature: 90}")
        text = text.replace("\nprobes:", """
  - name: ball
    shape: {type: sphere, radius: 0.03, position: [0, 0.2, 0.03]}
    density: 700
    friction: inf
  - {name: cube, shape: {type: box, size: [0.05, 0.05, 0.05], position: [0.02, 0.2, -0.05]},
     density: 1500}

air: {temperature: 20, transfer: 10}
probes:""")
        self.expect_same_bits(text, RANKS if FULL else (3,))

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
        self.expect_same_bits(text, RANKS if FULL else (2, 7))
        few = variant(method, "{density: 1400, viscosity: 50}", duration="0.025")
        few = few.replace("size: [0.16, 0.12, 0.16]", "size: [0.05, 0.05, 0.05]")
        few = few.replace("emitters:\n  - {name: jet, material: slime, radius: 0.02, "
                          "position: [0, 0.35, 0.02], speed: 1.0}\n", "")
        self.expect_same_bits(few, RANKS if FULL else (2,))

    def test_contacts_within_long_steps_have_the_same_bits(self):
        """6 steps of three spacings: a run of 100 would have moved everything out of sight."""
        text = variant("{name: conformation, impact_passes: 3, velocity_preconditioner: multigrid}",
                       "{density: 1000, modulus: 200, relaxation_time: 0.05}", "1/60", "0.1")
        text = text.replace("frame_rate: 40", "frame_rate: 30\nmax_travel: 20")
        text = text.replace("\nemitters:", """
  - {name: drop, material: slime, shape: {type: sphere, position: [0, 0.25, 0], radius: 0.045},
     velocity: [0, -3, 0]}
  - {name: other, material: slime, shape: {type: sphere, position: [0.1, 0.26, 0.04], radius: 0.03},
     velocity: [-3, 0, 0]}

emitters:""")
        self.expect_same_bits(text, RANKS if FULL else (3,))

    def test_other_formulations_have_the_same_bits(self):
        """20 steps unless all is run: the same sweeps in every step."""
        material = "{density: 1000, modulus: 400, relaxation_time: 0.1}"
        duration = "0.25" if FULL else "0.05"
        for words in ("consistent", "consistent, solver: conjugate_gradients", "paper"):
            with self.subTest(words):
                text = variant(f"{{name: conformation, formulation: {words}}}", material,
                               duration=duration)
                self.expect_same_bits(text, RANKS if FULL else (3,))

    def test_particle_bodies_have_the_same_bits(self):
        """Rigid bodies and a soft one that fall on fluid, for 40 steps; with masses and with
        multigrid, in which rigid bodies have smoothers of their own."""
        for words, steps in (("divergence_iterations: 2", "0.1"),
                             ("velocity_preconditioner: multigrid", "0.025")):
            with self.subTest(words):
                text = variant(f"{{name: conformation, {words}}}",
                               "{density: 1000, modulus: 200, relaxation_time: 0.05}\n"
                               "  wood: {density: 600}\n"
                               "  jelly: {density: 1000, modulus: 5000}", duration=steps)
                text = text.replace("\nemitters:", """
  - {name: log, material: wood, body: rigid, velocity: [0, -1, 0],
     shape: {type: box, position: [0, 0.18, 0], size: [0.05, 0.05, 0.14]}}
  - {name: cube, material: wood, body: rigid, velocity: [0, -1, 0],
     shape: {type: box, position: [0.02, 0.26, 0.05], size: [0.05, 0.05, 0.05]}}
  - {name: jelly, material: jelly, body: soft, velocity: [0, -1, 0],
     shape: {type: box, position: [-0.04, 0.26, -0.03], size: [0.05, 0.05, 0.14]}}

emitters:""")
                self.expect_same_bits(text, RANKS if FULL else (3,))

    def test_stress_has_the_same_bits(self):
        text = variant("{name: stress}", "{density: 1000, modulus: 200, relaxation_time: 0.05}",
                       "1/4000", "0.025")
        self.expect_same_bits(text, RANKS if FULL else (4,))

    def test_wcsph_has_the_same_bits(self):
        text = variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000", "0.05")
        self.expect_same_bits(text, RANKS if FULL else (4,))

    def test_ballistic_has_the_same_bits(self):
        self.expect_same_bits(variant("{name: ballistic}", "{density: 1000}"),
                              RANKS if FULL else (4,))

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
        scene = self.scene(variant("{name: wcsph}", "{density: 1000, viscosity: 1}", "1/4000",
                                   "0.05"))
        one, run = self.folder / "one", self.folder / "several"
        self.run_ooze(0, "run", scene, "-o", one)
        done = self.run_ooze(3, "run", scene, "-o", run, "--frames", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_ooze(2, "run", "--resume", run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.hash_of(run), self.hash_of(one))

    def test_refuses_what_cannot_be_shared(self):
        scene = self.scene(variant("{name: springs}", "{density: 1000}"))
        done = self.run_ooze(2, "run", scene, "-o", self.folder / "run")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("cannot share these steps, because the method "
                                           "'springs' runs on one process only"), 1, done.stderr)

    def test_dry_run_says_the_memory_of_a_process(self):
        done = subprocess.run(self.command(2, "run", SCENE, "--dry-run"), env=ENVIRONMENT,
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("a process"), 1, done.stdout)

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
        dice = random.Random(26)
        for kill in range(KILLS):
            run = self.folder / f"killed{kill}"
            process = subprocess.Popen(
                self.command(3, "run", scene, "-o", run, "--checkpoint-every", 0.2),
                env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(1.0 + 2.0 * dice.random())
            children = self.rank_processes(process.pid)
            if children:
                os.kill(dice.choice(children), signal.SIGKILL)
            said = process.communicate(timeout=120)[1]
            if process.returncode == 0:
                continue  # it had finished
            self.assertIn("killed", said.lower())
            done = self.run_ooze(2, "run", scene, "-o", run, "--resume")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.hash_of(run), wanted)


if __name__ == "__main__":
    if not has_mpi():
        print("this build has no MPI, or mpirun is missing")
        sys.exit(77)
    unittest.main()
