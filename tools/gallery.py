#!/usr/bin/env python3
"""Runs every scene of the gallery, renders its picture and its film and writes docs/gallery; then
films the small variants of the moving figures of Barreiro et al. (2017) for docs/barreiro2017.md.

    tools/gallery.py [--ooze build/ooze] [--runs runs/gallery] [--threads N] [--device NAME]
                     [--samples N] [--film-samples N] [--no-films] [--page] [NAME...]

A run that is finished and a picture of the same settings are kept, so the command goes on where
it was stopped. NAMEs select scenes and films; the page shows all scenes whose picture exists.
--page writes the page alone."""
import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs/gallery"
IMAGES = ROOT / "docs/images/gallery"
BYTES_MAX = 250_000
MOVIE_BYTES_MAX = 250_000
MOVIE_SIZE = "640x360"
# Scene, the frame that is shown, frames of its film (first, last, every how many), pictures of the
# film a second, and its caption.
SCENES = [
    ("honey_waffle", 78, (0, 84, 2), 12, "Honey coils where it lands, fills the pockets one after "
     "another and runs over their ribs."),
    ("caramel_pull", 24, (0, 36, 1), 12, "The core of a chocolate bar is drawn out into a rope, "
     "which sags and thins."),
    ("lava_crust", 150, (0, 190, 4), 12, "The surface cools in the air and darkens; where the flow "
     "stretches the crust, hot lava shines through ([heat](../heat.md))."),
    ("toothpaste_brush", 70, (0, 71, 2), 12, "Seven bands of one nozzle stay apart; the strand "
     "keeps its round shape below its yield stress."),
    ("soft_serve", 100, (0, 108, 3), 12, "A swirl from a star nozzle, a second after the air "
     "turned hot: its ridges have melted away."),
    ("jelly_plate", 12, (0, 72, 2), 16, "0.15 s after the plate began to spin: the "
     "jelly, a soft body, is drawn outwards."),
    ("cream_coffee", 34, (0, 42, 1), 12, "Frothed cream floats on coffee that turns in its "
     "cup."),
    ("slime_fingers", 26, (0, 36, 1), 12, "A string of slime hangs from each finger of the hand "
     "that was lifted."),
    ("dough_knead", 24, (0, 36, 1), 12, "Hands press the dough down and away; it is flattened "
     "and partly comes back."),
    ("egg_yolk", 42, (0, 53, 1), 12, "The fork has broken the yolk, which runs over the white."),
    ("glue_strings", 24, (0, 36, 1), 12, "Strings between a stick and a board, of different width: "
     "the thin ones break first."),
    ("paint_bust", 60, (0, 95, 2), 12, "Three paints coat the bust, meet and run down side by "
     "side."),
    ("honey_toast", 72, None, 0, "The thread coils where it lands and makes loops as the dipper "
     "moves."),
    ("cream_swirl", 92, None, 0, "The ridges of the star nozzle stay: the cream yields at 200 Pa "
     "and stands below that."),
    ("jelly_cubes", 6, None, 0, "Four cubes bounce and wobble: soft bodies, which return to their "
     "shape."),
    ("chocolate_ball", 62, None, 0, "Chocolate coats the ball, falls in sheets from its edge and "
     "spreads on the dish."),
    ("chocolate_melt", 72, None, 0, "The bottom is liquid, the squares on top are still cold: see "
     "[heat](../heat.md)."),
    ("honey_coil", 58, None, 0, "Honey on a plate, at a larger scale, with fewer particles: the "
     "scene of `make demo`."),
    ("gummy_bears", 6, None, 0, "Eighteen elastic bodies by shape matching, which push each other "
     "by pressure."),
    ("slime_stretch", 28, None, 0, "The thread thins while the plates part, snaps and springs "
     "back."),
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


def device_of(run):
    """Whether a GPU took the last steps of the run, by its log."""
    lines = re.findall(r"steps are taken by the (\w+)", (run / "log.txt").read_text())
    return "gpu" if lines and lines[-1] == "GPU" else "cpu"


def simulate(arguments, folder, name):
    """Runs or resumes the scene; the wall time is the sum over interruptions."""
    scene, run = ROOT / f"scenes/{folder}/{name}.yaml", arguments.runs / name
    clock = run / "gallery.json"
    spent = json.loads(clock.read_text()) if clock.exists() else {"wall": 0.0}
    command = [arguments.ooze, "run", scene, "-o", run, "--resume"]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    if arguments.device:
        command += ["--device", arguments.device]
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command])
    spent["wall"] += time.monotonic() - start
    spent["cores"] = arguments.threads or len(os.sched_getaffinity(0))
    if run.exists():
        clock.write_text(json.dumps(spent))
    if done.returncode != 0:
        sys.exit(done.returncode)
    return run, spent


def render(arguments, run, name, options, output):
    command = [str(arguments.ooze), "render", str(run), "--scene",
               str(ROOT / f"scenes/gallery/{name}.yaml"), "-o", str(output), *options]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    subprocess.run(command, check=True)


def draw(arguments, run, name, frame):
    """The picture of a scene, as a JPEG within the limit of size."""
    pictures = run / "hero"
    render(arguments, run, name, ["--frames", str(frame), "--samples", str(arguments.samples)],
           pictures)
    IMAGES.mkdir(parents=True, exist_ok=True)
    target = IMAGES / f"{name}.jpg"
    for quality in (2, 3, 4, 5, 6, 8, 10, 13):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i",
                        str(next(pictures.glob(f"*{frame:06d}.png"))), "-q:v", str(quality),
                        str(target)], check=True)
        if target.stat().st_size <= BYTES_MAX:
            return
    sys.exit(f"{target} has {target.stat().st_size} bytes, more than {BYTES_MAX}")


def shoot(arguments, run, name, frames, rate):
    """The film of a scene, as an MP4 within the limit of size."""
    pictures, (first, last, stride) = run / "movie", frames
    render(arguments, run, name, ["--frames", f"{first}:{last}:{stride}", "--size", MOVIE_SIZE,
                                  "--samples", str(arguments.film_samples), "--video",
                                  str(run / "movie.mp4")], pictures)
    target = IMAGES / f"{name}.mp4"
    for crf in (25, 28, 31, 34, 37):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-framerate", str(rate),
                        "-pattern_type", "glob", "-i", str(pictures / "*.png"), "-c:v", "libx264",
                        "-pix_fmt", "yuv420p", "-preset", "slow", "-crf", str(crf), "-movflags",
                        "+faststart", str(target)], check=True)
        if target.stat().st_size <= MOVIE_BYTES_MAX:
            return
    sys.exit(f"{target} has {target.stat().st_size} bytes, more than {MOVIE_BYTES_MAX}")


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


def particle_steps(run):
    """Steps times particles, summed over the frames of the run: its work."""
    rows = list(csv.DictReader((run / "probes.csv").open()))
    total, before = 0, 0
    for row in rows:
        step = int(row["step"])
        total += (step - before) * int(row["particles"])
        before = step
    return total


def describe(run, frame, spent, known):
    """Numbers of a scene for the page; times of other devices are kept."""
    info = json.loads(subprocess.run([str(OOZE), "info", str(run), "--json"], check=True,
                                     capture_output=True, text=True).stdout)
    times = {"gpu": spent["wall"]} if device_of(run) == "gpu" else {
        "cores": spent["cores"], "wall": spent["wall"]}
    kept = {key: value for key, value in known.items() if key in ("gpu", "cores", "wall",
                                                                  "two_cores")}
    return {"frame": frame, "particles": info["particles"], "steps": info["step"],
            "time": info["time"], "particle_steps": particle_steps(run), **kept, **times}


def scene_value(name, pattern):
    text = (ROOT / f"scenes/gallery/{name}.yaml").read_text()
    return re.search(pattern, text).group(1)


def title_of(name):
    return scene_value(name, r"(?m)^title: (.*)$")


def method_of(name):
    return scene_value(name, r"(?m)^method: \{name: (\w+)")


def minutes(seconds):
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s"


def times_of(fact):
    """The times of a run in words."""
    words = []
    if "wall" in fact:
        words.append(f"{minutes(fact['wall'])} on {fact['cores']} cores")
    if "two_cores" in fact:
        words.append(f"about {minutes(fact['two_cores']['seconds'])} on 2 cores (from "
                     f"{fact['two_cores']['part']})")
    if "gpu" in fact:
        words.append(f"{minutes(fact['gpu'])} on one H200")
    return f" Time of the run: {'; '.join(words)}." if words else ""


def coarser(fact):
    """The option with which a picture of another spacing than the scene's was made."""
    return f" --set spacing={fact['spacing']:g}" if "spacing" in fact else ""


def picture_of(name):
    """The file of its picture; those that were drawn before films were are PNG."""
    for suffix in ("jpg", "png"):
        if (IMAGES / f"{name}.{suffix}").exists():
            return f"{name}.{suffix}"
    return None


def write_page():
    facts = json.loads((DOCS / "facts.json").read_text())
    lines = ["# Gallery", "", "<!-- Written by tools/gallery.py. -->", "",
             "`make gallery` simulates these scenes, renders pictures and films and writes this "
             "page.", "",
             "Times on the GPU are those of runs that shared it with up to seven others: alone "
             "they are shorter. Where the command sets a", "spacing, the picture was made with "
             "fewer particles than the scene has; but for jelly and paint it then shows 960 x 540 "
             "pixels (honey: 1280 x 720) with 8 to 10", "samples, and steps and times are those up "
             "to its frame. The commands draw 1920 x 1080.", ""]
    for name, frame, frames, _, words in SCENES:
        picture = picture_of(name)
        if name not in facts or not picture:
            continue
        fact = facts[name]
        lines += [f"## {title_of(name)}", "", f"![{title_of(name)}](../images/gallery/{picture})",
                  "", words + (f" [Film](../images/gallery/{name}.mp4)." if frames and
                               (IMAGES / f"{name}.mp4").exists() else ""), "",
                  f"[scenes/gallery/{name}.yaml](../../scenes/gallery/{name}.yaml): method "
                  f"`{method_of(name)}`, {count_of(fact['particles'])} particles, "
                  f"{count_of(fact['steps'])} steps for {fact['time']:.3g} s."
                  f"{times_of(fact)}", "",
                  f"    ooze run scenes/gallery/{name}.yaml -o runs/gallery/{name}" + coarser(fact),
                  f"    ooze render runs/gallery/{name} --frames {frame}", ""]
    (DOCS / "README.md").write_text("\n".join(lines))


def main():
    global OOZE
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ooze", default=ROOT / "build/ooze", type=pathlib.Path)
    parser.add_argument("--runs", default=ROOT / "runs/gallery", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--device", default="")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--film-samples", type=int, default=8)
    parser.add_argument("--no-films", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    OOZE = arguments.ooze
    known = [name for name, *_ in SCENES] + [name for name, *_ in FILMS]
    for name in arguments.names:
        if name not in known:
            sys.exit(f"no scene or film of the gallery is called '{name}'; there are "
                     + ", ".join(known))
    os.makedirs(arguments.runs, exist_ok=True)
    DOCS.mkdir(parents=True, exist_ok=True)
    facts_file = DOCS / "facts.json"
    for name, frame, frames, rate, _ in [] if arguments.page else SCENES:
        if arguments.names and name not in arguments.names:
            continue
        print(f"== {name}", flush=True)
        run, spent = simulate(arguments, "gallery", name)
        draw(arguments, run, name, frame)
        if frames and not arguments.no_films:
            shoot(arguments, run, name, frames, rate)
        facts = json.loads(facts_file.read_text()) if facts_file.exists() else {}
        facts[name] = describe(run, frame, spent, facts.get(name, {}))
        facts_file.write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    write_page()
    if arguments.page:
        return
    for name, scene, stride, rate, size in [] if arguments.no_films else FILMS:
        if not arguments.names or name in arguments.names:
            print(f"== {name}", flush=True)
            film(arguments, simulate(arguments, "barreiro2017", scene)[0], name, stride, rate, size)
    print(f"see {DOCS / 'README.md'}")


if __name__ == "__main__":
    main()
