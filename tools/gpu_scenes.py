#!/usr/bin/env python3
"""Which scenes of the repository a GPU takes, and why it does not take the others.

    gpu_scenes.py [--all] [BUILD_DIR]

Asks `ooze run --dry-run --device cuda` of a build with the CUDA back end (default: build; the
preset cuda-on-host answers without a GPU) and prints the number of scenes for each reason; with
--all, a line for each scene."""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = "runs on the GPU"
# A dry run refuses a scene before it tries steps, which may take long: a scene that is still being
# tried has not been refused.
SECONDS = 20


def answer(ooze, scene):
    command = [ooze, "run", scene, "--dry-run", "--frames", "0", "--device", "cuda"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return RUNS
    found = re.search(r"error: device cuda cannot (take these steps, because|be used:) (.*)",
                      done.stderr)
    if "has no CUDA back end" in done.stderr or (found and found[1] == "be used:"):
        sys.exit(done.stderr.strip())
    return found[2] if found else RUNS  # other errors come from steps that were taken


def is_scene(path):
    """Files that others include have no method or materials of their own."""
    text = path.read_text()
    return text.startswith("ooze:") or "\nooze:" in text


def main():
    arguments = [word for word in sys.argv[1:] if word != "--all"]
    folder = pathlib.Path(arguments[0]) if arguments else ROOT / "build"
    counts = collections.Counter()
    for scene in sorted(path for path in ROOT.glob("scenes/**/*.yaml") if is_scene(path)):
        said = answer(str(folder.resolve() / "ooze"), scene)
        counts[said] += 1
        if "--all" in sys.argv:
            print(f"{scene.relative_to(ROOT)}: {said}", flush=True)
    for said, count in counts.most_common():
        print(f"{count:4d}  {said}")


if __name__ == "__main__":
    main()
