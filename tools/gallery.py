#!/usr/bin/env python3
"""Runs every scene of the gallery, renders its picture and writes docs/gallery; then films the
small variants of the moving figures of Barreiro et al. (2017) for docs/barreiro2017.md.

    tools/gallery.py [--ooze build/ooze] [--runs runs/gallery] [--threads N] [--samples N]
                     [--film-samples N] [--no-films] [NAME...]

A run that is finished and a picture of the same settings are kept, so the command goes on where
it was stopped. NAMEs select scenes and films; the page shows all scenes whose picture exists."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs/gallery"
BYTES_MAX = 400_000
# Scene, the frame that is shown, and its caption.
SCENES = [
    ("honey_toast", 72, "The thread coils where it lands and makes loops as the dipper moves."),
    ("cream_swirl", 92, "The ridges of the star nozzle stay: the cream yields at 200 Pa and stands "
                        "below that."),
    ("jelly_cubes", 6, "Four cubes bounce and wobble: soft bodies, which return to their shape."),
    ("chocolate_ball", 62, "Chocolate coats the ball, falls in sheets from its edge and spreads on "
                           "the dish."),
    ("chocolate_melt", 72, "The bottom is liquid, the squares on top are still cold: see "
                           "[heat](../heat.md)."),
    ("honey_coil", 58, "Honey on a plate, at a larger scale, with fewer particles: the scene of "
                       "`make demo`."),
    ("gummy_bears", 6, "Eighteen elastic bodies by shape matching, which push each other by "
                       "pressure."),
    ("slime_stretch", 28, "The thread thins while the plates part, snaps and springs back."),
]
# Films: docs/images/barreiro2017/NAME.webp, its scene in scenes/barreiro2017, every how many frames
# one is drawn, and pictures a second: in real time, but half as fast for the blocks and twice
# as fast for the two scenes that the paper's users play with.
FILMS_AT = ROOT / "docs/images/barreiro2017"
FILM_BYTES_MAX = 500_000
FILM_SIZE, WIDE_SIZE = (400, 300), (640, 210)
FILMS = [
    ("fig1_cake", "cake_small", 3, 10, FILM_SIZE),
    ("fig4_blocks", "blocks_small", 1, 15, WIDE_SIZE),
    ("fig5_top", "coiling_top_small", 4, 7.5, WIDE_SIZE),
    ("fig5_bottom", "coiling_bottom_small", 4, 7.5, WIDE_SIZE),
    ("fig8_ice_cream", "ice_cream_small", 16, 25 / 3, FILM_SIZE),
    ("fig9_thick", "waffle_thick_small", 4, 7.5, FILM_SIZE),
    ("fig9_runny", "waffle_runny_small", 4, 7.5, FILM_SIZE),
    ("fig10_hand_and_bowl", "hand_and_bowl_small", 12, 100 / 9, FILM_SIZE),
    ("fig11_massive", "massive_small", 2, 15, FILM_SIZE),
    ("fig12_honey", "honey_small", 4, 7.5, FILM_SIZE),
]


def count_of(text):
    return f"{int(text):,}"


def simulate(arguments, folder, name):
    """Runs or resumes the scene; the wall time is the sum over interruptions."""
    scene, run = ROOT / f"scenes/{folder}/{name}.yaml", arguments.runs / name
    clock = run / "gallery.json"
    spent = json.loads(clock.read_text()) if clock.exists() else {"wall": 0.0}
    command = [arguments.ooze, "run", scene, "-o", run, "--resume"]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command])
    spent["wall"] += time.monotonic() - start
    spent["cores"] = arguments.threads or len(os.sched_getaffinity(0))
    if run.exists():
        clock.write_text(json.dumps(spent))
    if done.returncode != 0:
        sys.exit(done.returncode)
    return run, spent


def draw(arguments, run, name, frame):
    pictures = run / "hero"
    subprocess.run([str(arguments.ooze), "render", str(run), "--scene",
                    str(ROOT / f"scenes/gallery/{name}.yaml"), "--frames",
                    str(frame), "--samples", str(arguments.samples), "-o", str(pictures)],
                   check=True)
    picture = next(pictures.glob(f"*{frame:06d}.png"))
    DOCS.mkdir(parents=True, exist_ok=True)
    target = DOCS / f"{name}.png"
    data = picture.read_bytes()
    if len(data) > BYTES_MAX:  # a colour palette: a third of the size, hardly visible
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", str(picture), "-filter_complex",
                        "split[a][b];[a]palettegen=max_colors=256[p];"
                        "[b][p]paletteuse=dither=sierra2_4a", str(target)], check=True)
    else:
        target.write_bytes(data)
    if target.stat().st_size > BYTES_MAX:
        sys.exit(f"{target} has {target.stat().st_size} bytes, more than {BYTES_MAX}")


def film(arguments, run, name, stride, rate, size):
    """A moving picture of a run. Pictures that are drawn already are kept; a film that is too large
    is packed again with less quality."""
    pictures = run / "film"
    subprocess.run([str(arguments.ooze), "render", str(run), "--frames", f"0::{stride}", "--size",
                    f"{size[0]}x{size[1]}", "--samples", str(arguments.film_samples), "-o",
                    str(pictures), "--video", str(run / "film.mp4")], check=True)
    FILMS_AT.mkdir(parents=True, exist_ok=True)
    target = FILMS_AT / f"{name}.webp"
    for quality in (75, 50, 25, 10):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-framerate", f"{rate:.6f}",
                        "-pattern_type", "glob", "-i", str(pictures / "*.png"), "-c:v",
                        "libwebp_anim", "-quality", str(quality), "-compression_level", "6",
                        "-loop", "0", str(target)], check=True)
        if target.stat().st_size <= FILM_BYTES_MAX:
            return
    sys.exit(f"{target} has {target.stat().st_size} bytes, more than {FILM_BYTES_MAX}")


def describe(run, name, frame, spent):
    """Numbers of a scene for the page."""
    info = json.loads(subprocess.run([str(OOZE), "info", str(run), "--json"], check=True,
                                     capture_output=True, text=True).stdout)
    return {"frame": frame, "particles": info["particles"], "steps": info["step"],
            "time": info["time"], **spent}


def scene_value(name, pattern):
    text = (ROOT / f"scenes/gallery/{name}.yaml").read_text()
    return re.search(pattern, text).group(1)


def title_of(name):
    return scene_value(name, r"(?m)^title: (.*)$")


def method_of(name):
    return scene_value(name, r"(?m)^method: \{name: (\w+)")


def minutes(seconds):
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s"


def write_page():
    facts = json.loads((DOCS / "facts.json").read_text())
    lines = ["# Gallery", "", "<!-- Written by tools/gallery.py. -->", "",
             "`make gallery` simulates these scenes, renders the pictures and writes this page.",
             ""]
    for name, _, words in SCENES:
        if name not in facts:
            continue
        fact = facts[name]
        lines += [f"## {title_of(name)}", "", f"![{title_of(name)}]({name}.png)", "", words, "",
                  f"[scenes/gallery/{name}.yaml](../../scenes/gallery/{name}.yaml): method "
                  f"`{method_of(name)}`, {count_of(fact['particles'])} particles, "
                  f"{count_of(fact['steps'])} steps for {fact['time']:.3g} s, in "
                  f"{minutes(fact['wall'])} on {fact['cores']} cores.", "",
                  f"    ooze run scenes/gallery/{name}.yaml -o runs/gallery/{name}",
                  f"    ooze render runs/gallery/{name} --frames {fact['frame']}", ""]
    (DOCS / "README.md").write_text("\n".join(lines))


def main():
    global OOZE
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ooze", default=ROOT / "build/ooze", type=pathlib.Path)
    parser.add_argument("--runs", default=ROOT / "runs/gallery", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--samples", type=int, default=96)
    parser.add_argument("--film-samples", type=int, default=8)
    parser.add_argument("--no-films", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    OOZE = arguments.ooze
    known = [name for name, _, _ in SCENES] + [name for name, *_ in FILMS]
    for name in arguments.names:
        if name not in known:
            sys.exit(f"no scene or film of the gallery is called '{name}'; there are "
                     + ", ".join(known))
    os.makedirs(arguments.runs, exist_ok=True)
    DOCS.mkdir(parents=True, exist_ok=True)
    facts_file = DOCS / "facts.json"
    for name, frame, _ in SCENES:
        if arguments.names and name not in arguments.names:
            continue
        print(f"== {name}", flush=True)
        run, spent = simulate(arguments, "gallery", name)
        draw(arguments, run, name, frame)
        facts = json.loads(facts_file.read_text()) if facts_file.exists() else {}
        facts[name] = describe(run, name, frame, spent)
        facts_file.write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
        write_page()
    for name, scene, stride, rate, size in [] if arguments.no_films else FILMS:
        if not arguments.names or name in arguments.names:
            print(f"== {name}", flush=True)
            film(arguments, simulate(arguments, "barreiro2017", scene)[0], name, stride, rate, size)
    print(f"see {DOCS / 'README.md'}")


if __name__ == "__main__":
    main()
