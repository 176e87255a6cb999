"""Random scenes, made from the JSON schema with hostile sizes and numbers. `ooze check` must answer
each within the time and memory that it may take, without a signal or a report of a sanitizer, and
`ooze run` must not refuse a scene that the check has passed.

OOZE_SEED takes another sequence of them."""
import concurrent.futures
import json
import os
import random
import re
import resource
import signal
import subprocess
import unittest

import runs

SEED = int(os.environ.get("OOZE_SEED", "1"))
CHECKS = 400
RUNS = 60
SECONDS = 20
RUN_SECONDS = 60
STEPS = 3
PARTICLES_MAX = 5000   # of a scene that is run
ADDRESS_SPACE = 4 << 30

SCHEMA = json.loads((runs.ROOT / "docs/scene.schema.json").read_text())
HOSTILE = [0, -1, 1e-300, 1e-12, 1e-9, 1e-6, 1e6, 1e9, 1e12, 1e30, 1e300, -1e12, "inf", "-inf",
           "nan", "1/0", 2**31, 2**63, 2**64, 0.5, "1e3/7"]
MATERIALS = ["a", "b"]
SOLIDS = ["floor", "s1", "s2"]
# Keys whose values are files, or whose strings the grammar cannot know.
LEFT_OUT = {"include", "file", "version", "title", "set", "to"}
# Values of most scenes, so that a good part of them is accepted.
TAME = {
    "spacing": [0.02, 0.03, 0.05],
    "size": [[0.2, 0.1, 0.2], [0.1, 0.3, 0.1]],
    "radius": [0.05, 0.1, 0.15],
    "tube_radius": [0.03],
    "height": [0.1, 0.2],
    "scale": [1, [1, 2, 1]],
    "position": [[0, 0.3, 0], [0.1, 0.5, 0.1], [0, 0, 0]],
    "velocity": [[0, -1, 0], [0.5, 0, 0]],
    "spin": [[0, 60, 0]],
    "velocity_iterations": [5, 20],
    "density_iterations": [3, 5],
    "position_iterations": [3],
    "support_ratio": [2, 2.2],
    "seed": [1, 7],
    "density": [900, 1400],
    "speed": [0.5, 1],
    "temperature": [20, 80],
    "start": [0],
    "stop": ["inf"],
    "stick_distance": [0, 0.05],
    "x": [[-1, 1]],
    "y": [[-1, 1]],
    "z": [[-1, 1]],
    "parts": [[{"type": "sphere", "radius": 0.1}]],
    "axis": [[0, 1, 0]],
    "direction": [[0, -1, 0]],
    "normal": [[0, 1, 0], [1, 2, 0]],
    "up": ["y"],
    "max_travel": [0.5, 1],
}


def sanitized():
    cache = runs.BUILD / "CMakeCache.txt"
    return cache.exists() and bool(re.search(r"^OOZE_SANITIZE:\w+=\S", cache.read_text(), re.M))


class Grammar:
    """Random values of the schema's sections."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.hostility = self.random.choice([0.0, 0.01, 0.05, 0.3])

    def number(self, schema, integer):
        low, high = schema.get("minimum", -1e3), schema.get("maximum", 1e3)
        if self.random.random() < self.hostility:
            return self.random.choice(HOSTILE + [low, high, schema.get("default", 1)])
        if "default" in schema and self.random.random() < 0.5:
            return schema["default"]
        value = 10 ** self.random.uniform(-3, 1) * (1 if low >= 0 else self.random.choice([-1, 1]))
        value = min(max(value, low), high)
        return int(value) if integer else value

    def value(self, schema, key=""):
        if "$ref" in schema:
            return self.section(SCHEMA["$defs"][schema["$ref"].split("/")[-1]])
        if key in TAME and self.random.random() >= self.hostility:
            tame = self.random.choice(TAME[key])
            return tame[:schema.get("maxItems")] if isinstance(tame, list) else tame
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self.value(self.random.choice(schema[word]), key)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kinds = schema.get("type", "string")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if "integer" in kinds or "number" in kinds and "boolean" not in kinds:
            return self.number(schema, "integer" in kinds)
        if "array" in kinds:
            count = self.random.randint(schema.get("minItems", 0), schema.get("maxItems", 3))
            return [self.value(schema["items"]) for _ in range(count)]
        if "object" in kinds:
            return self.section(schema)
        if key == "material":
            return self.random.choice(MATERIALS)
        if key in ("solid", "other"):
            return self.random.choice(SOLIDS)
        return "#%06x" % self.random.randrange(1 << 24) if "pattern" in schema else "x"

    def section(self, schema, given=0.25):
        """A map with the required keys and some of the others."""
        for word in ("oneOf", "anyOf"):
            if word in schema:
                kinds = [kind for kind in schema[word] if "file" not in kind.get("properties", {})]
                return self.section(self.random.choice(kinds), given)
        item = {}
        for key, row in schema.get("properties", {}).items():
            needed = key in schema.get("required", []) or "const" in row
            if key == "name" and "const" not in row or key in LEFT_OUT and not needed:
                continue
            if needed or self.random.random() < given:
                item[key] = self.value(row, key)
        return item

    def items(self, key, most):
        section = SCHEMA["$defs"][key]
        return [{"name": f"{key}{i}", **self.section(section)}
                for i in range(self.random.randint(0, most))]

    def scene(self):
        solids = [{"shape": {"type": "plane"}}] + self.items("solid", 2)
        for name, solid in zip(SOLIDS, solids):
            solid["name"] = name
        step = self.random.choice([100, 600, 2000])
        scene = {
            "ooze": 2,
            "method": self.section(SCHEMA["$defs"]["method"], 0.15),
            "spacing": self.value(SCHEMA["properties"]["spacing"], "spacing"),
            "time_step": f"1/{step}",
            "frame_rate": f"{step}/{STEPS}",
            "duration": f"{STEPS}/{step}",
            "materials": {name: self.section(SCHEMA["$defs"]["material"], 0.1)
                          for name in MATERIALS},
            "fluids": self.items("fluid", 3),
            "solids": solids,
            "emitters": self.items("emitter", 1),
            "sinks": self.items("sink", 1),
            "probes": self.items("probe", 2),
            "heat_sources": self.items("heat_source", 1),
        }
        if len(solids) == len(SOLIDS) and self.random.random() < 0.3:
            scene["joints"] = self.items("joint", 1)
        for key in ("gravity", "up", "seed", "periodic", "air", "support_ratio", "max_travel"):
            if key in SCHEMA["properties"] and self.random.random() < 0.1:
                scene[key] = self.value(SCHEMA["properties"][key], key)
        return scene


def ooze(seconds, *arguments):
    """Exit code, stdout and stderr; None: it took too long. Seconds are those of the processor,
    since wall-clock time depends on the load of the host; a command that waits is ended too."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if not sanitized():
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    try:
        done = subprocess.run([runs.OOZE, *map(str, arguments)], capture_output=True, text=True,
                              timeout=20 * seconds, preexec_fn=limit, errors="replace")
    except subprocess.TimeoutExpired:
        return None, "", ""
    late = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return None if late else done.returncode, done.stdout, done.stderr


def problem_of(code, errors, allowed):
    """Why an answer is a failure, or ''."""
    if code is None:
        return "it took too long"
    if code not in allowed:
        return f"exit code {code}: {errors[-1500:]}"
    if "Sanitizer" in errors or "runtime error:" in errors:
        return errors[-3000:]
    return ""


class RandomScenesTest(runs.RunTest):
    def write(self, number):
        path = self.folder / f"{number}.yaml"
        path.write_text(json.dumps(Grammar(SEED * 1000003 + number).scene()))
        return path

    def check(self, number):
        """Problem, and number of particles of a scene that was passed."""
        code, out, errors = ooze(SECONDS, "check", self.write(number), "--json")
        problem = problem_of(code, errors, (0, 1))
        if problem:
            return problem, None
        try:
            return "", json.loads(out).get("particles_at_end")
        except ValueError as error:
            return f"bad JSON: {error}", None

    def run_scene(self, number):
        path, folder = self.write(number), self.folder / f"run{number}"
        code, _, errors = ooze(RUN_SECONDS, "run", path, "-o", folder, "--threads", 1, "-q")
        return problem_of(code, errors, (0, 3))

    def each(self, work, numbers):
        """The results of all scenes, one a core at a time."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(work, numbers))

    def assert_no_problems(self, numbers, problems):
        wrong = [(n, p) for n, p in zip(numbers, problems) if p]
        shown = [f"scene {n} of seed {SEED}: {p}\n{(self.folder / f'{n}.yaml').read_text()}"
                 for n, p in wrong[:5]]
        self.assertFalse(wrong, f"{len(wrong)} scenes\n" + "\n".join(shown))

    def test_random_scenes(self):
        checked = self.each(self.check, range(CHECKS))
        self.assert_no_problems(range(CHECKS), [problem for problem, _ in checked])
        passed = [n for n, (_, count) in enumerate(checked)
                  if count is not None and count <= PARTICLES_MAX]
        self.assertGreater(len(passed), CHECKS // 20)  # the grammar makes valid scenes too
        numbers = passed[:RUNS]
        self.assert_no_problems(numbers, self.each(self.run_scene, numbers))


if __name__ == "__main__":
    unittest.main()
