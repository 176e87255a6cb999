#!/usr/bin/env python3
"""Runs every scene of the gallery, renders its picture and its film and writes docs/gallery; then
films the small variants of the moving figures of Barreiro et al. (2017) for docs/barreiro2017.md.

    tools/gallery.py [--ooze build/ooze] [--runs runs/gallery] [--threads N] [--device NAME]
                     [--samples N] [--film-samples N] [--no-films] [--page]
                     [--spacing FACTOR] [--size WxH] [NAME...]

A scene that is made is skipped, and a run or a film that was interrupted is continued: the command
goes on where it was stopped. A scene that fails is reported, and the others are made. NAMEs select
scenes and films; the page shows all scenes whose picture exists. --page writes the page alone.

--spacing multiplies the spacing of the scenes, --size is that of the pictures (films have half of
it): a trial of the whole gallery, with pictures and films of the twelve scenes that have one in
runs/gallery_trial and their times in docs/gallery/trial.json. The pictures of the page are left as
they are:

    make gallery GALLERY="--spacing 3 --size 640x360"
"""
import argparse
import csv
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
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
    ("caramel_pull", 20, (0, 36, 1), 12, "The core of a chocolate bar is drawn out into a rope, "
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
    ("dough_knead", 18, (0, 36, 1), 12, "Hands press the dough down and away; it is flattened "
     "and partly comes back."),
    ("egg_yolk", 42, (0, 53, 1), 12, "The fork has broken the yolk, which runs over the white."),
    ("glue_strings", 24, (0, 36, 1), 12, "Strings between a stick and a board, of different width: "
     "all grow thinner while the stick rises, and none breaks."),
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


def processor_seconds():
    """Of the commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def coarser_settings(arguments, name):
    """The settings of a trial."""
    if arguments.spacing == 1:
        return []
    spacing = float(scene_value(name, r"(?m)^spacing: ([0-9.e-]+)"))
    return ["--set", f"spacing={arguments.spacing * spacing:.6g}"]


def digest(*facts):
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def simulate(arguments, folder, name):
    """Runs or resumes the scene, unless that was done; a run of another text of the scene is made
    anew. Times are sums over interruptions, but for what a killed command took since its start."""
    scene, run = ROOT / f"scenes/{folder}/{name}.yaml", arguments.runs / name
    clock = run / "gallery.json"
    spent = json.loads(clock.read_text()) if clock.exists() else {}
    moves = digest(scene.read_text().split("\nrender:")[0], arguments.spacing)
    if spent.get("moves") != moves:
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir()
        spent = {"moves": moves, "wall": 0.0, "done": False}
        clock.write_text(json.dumps(spent))
    if spent["done"]:
        return run, spent
    command = [arguments.ooze, "run", scene, "-o", run, "--resume"]
    command += coarser_settings(arguments, name) if folder == "gallery" else []
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    if arguments.device:
        command += ["--device", arguments.device]
    start, before = time.monotonic(), processor_seconds()
    done = subprocess.run([str(word) for word in command], stdout=arguments.output,
                          stderr=arguments.output)
    spent["wall"] += time.monotonic() - start
    spent["processor"] = spent.get("processor", 0.0) + processor_seconds() - before
    spent["cores"] = arguments.threads or len(os.sched_getaffinity(0))
    spent["done"] = done.returncode == 0
    clock.write_text(json.dumps(spent))
    done.check_returncode()
    return run, spent


def render(arguments, run, name, options, output):
    command = [str(arguments.ooze), "render", str(run), "--scene",
               str(ROOT / f"scenes/gallery/{name}.yaml"), "-o", str(output), *options,
               *coarser_settings(arguments, name)]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    subprocess.run(command, check=True, stdout=arguments.output, stderr=arguments.output)


def draw(arguments, run, name, frame):
    """The picture of a scene, as a JPEG within the limit of size."""
    pictures = run / "hero"
    size = ["--size", arguments.size] if arguments.size else []
    render(arguments, run, name, ["--frames", str(frame), "--samples", str(arguments.samples),
                                  *size], pictures)
    arguments.images.mkdir(parents=True, exist_ok=True)
    target = arguments.images / f"{name}.jpg"
    for quality in (2, 3, 4, 5, 6, 8, 10, 13):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i",
                        str(next(pictures.glob(f"*{frame:06d}.png"))), "-q:v", str(quality),
                        str(target)], check=True)
        if target.stat().st_size <= BYTES_MAX:
            return
    raise OSError(f"{target} has {target.stat().st_size} bytes, more than {BYTES_MAX}")


def movie_size(arguments):
    """Half of a trial's pictures, in even numbers of pixels."""
    if not arguments.size:
        return MOVIE_SIZE
    width, height = (int(number) // 4 * 2 for number in arguments.size.split("x"))
    return f"{width}x{height}"


def shoot(arguments, run, name, frames, rate):
    """The film of a scene, as an MP4 within the limit of size."""
    pictures, (first, last, stride) = run / "movie", frames
    render(arguments, run, name, ["--frames", f"{first}:{last}:{stride}", "--size",
                                  movie_size(arguments),
                                  "--samples", str(arguments.film_samples), "--video",
                                  str(run / "movie.mp4")], pictures)
    target = arguments.images / f"{name}.mp4"
    for crf in (25, 28, 31, 34, 37):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-framerate", str(rate),
                        "-pattern_type", "glob", "-i", str(pictures / "*.png"), "-c:v", "libx264",
                        "-pix_fmt", "yuv420p", "-preset", "slow", "-crf", str(crf), "-movflags",
                        "+faststart", str(target)], check=True)
        if target.stat().st_size <= MOVIE_BYTES_MAX:
            return
    raise OSError(f"{target} has {target.stat().st_size} bytes, more than {MOVIE_BYTES_MAX}")


def film(arguments, run, name, stride, rate, size):
    """A moving picture of a run. Pictures that are drawn already are kept; a film that is too large
    is packed again with less quality."""
    pictures = run / "film"
    subprocess.run([str(arguments.ooze), "render", str(run), "--frames", f"0::{stride}", "--size",
                    f"{size[0]}x{size[1]}", "--samples", str(arguments.film_samples), "-o",
                    str(pictures), "--video", str(run / "film.mp4")], check=True,
                   stdout=arguments.output, stderr=arguments.output)
    FILMS_AT.mkdir(parents=True, exist_ok=True)
    target = FILMS_AT / f"{name}.webp"
    for quality in (75, 50, 25, 10):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-framerate", f"{rate:.6f}",
                        "-pattern_type", "glob", "-i", str(pictures / "*.png"), "-c:v",
                        "libwebp_anim", "-quality", str(quality), "-compression_level", "6",
                        "-loop", "0", str(target)], check=True)
        if target.stat().st_size <= FILM_BYTES_MAX:
            return
    raise OSError(f"{target} has {target.stat().st_size} bytes, more than {FILM_BYTES_MAX}")


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


def trial_section():
    """The table of the last trial of the whole gallery."""
    file = DOCS / "trial.json"
    facts = json.loads(file.read_text()) if file.exists() else {}
    rows = [(name, facts[name]) for name, _, frames, *_ in SCENES if frames and name in facts]
    if not rows:
        return []
    lines = ["## A trial of the whole gallery", "",
             "    make gallery GALLERY=\"--spacing 3 --size 640x360 --samples 8 --film-samples 1\"",
             "",
             "makes picture and film of the twelve scenes with three times the spacing, in "
             "`runs/gallery_trial`. Measured on two cores that other", "work shared, hence "
             "seconds of processor (user and system): two free cores take half of that where both "
             "are busy. A command that is", "stopped goes on where it was; a scene that is made is "
             "skipped. The last column is **predicted**, not measured: the processor", "seconds "
             "of the run times the cube of the factor, for the scene's own spacing. Iterations of "
             "the solvers grow with the resolution, so", "that it is rather more. Pictures that an "
             "interrupted command had drawn before are not counted. A scene that is missing in the "
             "table", "was not finished in the last trial.", "",
             "| scene | spacing | particles | steps | run | pictures | run at full count, "
             "predicted |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, fact in rows:
        predicted = fact["processor"] * fact["spacing"] ** 3
        lines.append(f"| {title_of(name)} | x {fact['spacing']:g} | {count_of(fact['particles'])} "
                     f"| {count_of(fact['steps'])} | {fact['processor']:.0f} s | "
                     f"{fact['pictures']['processor']:.0f} s | {predicted / 60:.0f} min |")
    return lines + [""]


def write_page():
    facts = json.loads((DOCS / "facts.json").read_text())
    lines = ["# Gallery", "", "<!-- Written by tools/gallery.py. -->", "",
             "`make gallery` simulates these scenes, renders pictures and films and writes this "
             "page.", "",
             "Pictures of scenes with a film have 1920 x 1080 pixels with 24 samples, films 640 x "
             "360 with 4, which leaves some grain.", "Their times on the GPU are those of runs "
             "that shared it with eight others: alone they are shorter. A time is that of the",
             "frames that picture and film need; drawing a picture took 20 to 65 s and a film 20 "
             "to 65 s on 8 cores.", ""]
    for name, _, frames, _, words in SCENES:
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
                  f"    ooze render runs/gallery/{name} --frames {fact['frame']}", ""]
    lines += trial_section()
    (DOCS / "README.md").write_text("\n".join(lines))


def identity_of(arguments, name, frame, frames):
    """Changes with all that a picture and a film are made from, but for meshes and includes."""
    scene = (ROOT / f"scenes/gallery/{name}.yaml").read_text()
    return digest(scene, frame, frames, arguments.spacing, arguments.size, arguments.samples,
                  arguments.film_samples, arguments.no_films)


def sizes_of(arguments, name):
    """The files of a scene with their sizes, in words."""
    files = [arguments.images / f"{name}{suffix}" for suffix in (".jpg", ".mp4")]
    return ", ".join(f"{path.name} {path.stat().st_size // 1000} kB" for path in files
                     if path.exists())


def make_scene(arguments, row):
    """Makes run, picture and film of a scene, unless they are there; one line says what it took."""
    name, frame, frames, rate, _ = row
    run, identity = arguments.runs / name, identity_of(arguments, name, frame, frames)
    note = run / "made.json"
    made = json.loads(note.read_text()) if note.exists() else {}
    if made.get("identity") == identity and (arguments.images / f"{name}.jpg").exists():
        print(f"{name}: made before ({sizes_of(arguments, name)})", flush=True)
        return
    print(f"{name}: {run / 'log.txt'}", flush=True)
    run, spent = simulate(arguments, "gallery", name)
    start, before = time.monotonic(), processor_seconds()
    draw(arguments, run, name, frame)
    if frames and not arguments.no_films:
        shoot(arguments, run, name, frames, rate)
    pictures = {"wall": time.monotonic() - start, "processor": processor_seconds() - before}
    file = arguments.facts
    facts = json.loads(file.read_text()) if file.exists() else {}
    facts[name] = describe(run, frame, spent, facts.get(name, {}))
    if arguments.trial:
        facts[name].update(spacing=arguments.spacing, size=arguments.size,
                           processor=spent["processor"], pictures=pictures)
    file.write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    note.write_text(json.dumps({"identity": identity}))
    print(f"{name}: {count_of(facts[name]['particles'])} particles, "
          f"{count_of(facts[name]['steps'])} steps in {minutes(spent['wall'])} "
          f"({minutes(spent['processor'])} of processor), pictures in {minutes(pictures['wall'])}; "
          f"{sizes_of(arguments, name)}", flush=True)


def attempt(make, *arguments):
    """False where a command failed; the rest of the gallery is made all the same."""
    try:
        make(*arguments)
        return True
    except (subprocess.CalledProcessError, OSError, StopIteration) as failure:
        print(f"FAILED: {failure}", flush=True)
        return False


def make_film(arguments, row):
    name, scene, stride, rate, size = row
    print(f"{name}: {arguments.runs / scene / 'log.txt'}", flush=True)
    film(arguments, simulate(arguments, "barreiro2017", scene)[0], name, stride, rate, size)


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ooze", default=ROOT / "build/ooze", type=pathlib.Path)
    parser.add_argument("--runs", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--device", default="")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--film-samples", type=int, default=8)
    parser.add_argument("--no-films", action="store_true")
    parser.add_argument("--spacing", type=float, default=1.0)
    parser.add_argument("--size", default="")
    parser.add_argument("--verbose", action="store_true", help="show what the commands print")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.spacing < 1 or (arguments.size and not re.fullmatch(r"\d+x\d+", arguments.size)):
        sys.exit("give --spacing a factor of 1 or more, and --size two numbers such as 640x360")
    arguments.trial = arguments.spacing != 1 or arguments.size != ""
    folder = "runs/gallery_trial" if arguments.trial else "runs/gallery"
    arguments.runs = arguments.runs or ROOT / folder
    arguments.images = arguments.runs / "pictures" if arguments.trial else IMAGES
    arguments.facts = DOCS / ("trial.json" if arguments.trial else "facts.json")
    arguments.output = None if arguments.verbose else subprocess.DEVNULL
    return arguments


def main():
    global OOZE
    arguments = parse()
    OOZE = arguments.ooze
    known = [name for name, *_ in SCENES] + [name for name, *_ in FILMS]
    for name in arguments.names:
        if name not in known:
            sys.exit(f"no scene or film of the gallery is called '{name}'; there are "
                     + ", ".join(known))
    os.makedirs(arguments.runs, exist_ok=True)
    DOCS.mkdir(parents=True, exist_ok=True)
    good = True
    for row in [] if arguments.page else SCENES:
        wanted = not arguments.names or row[0] in arguments.names
        if wanted and (row[2] or not arguments.trial):
            good = attempt(make_scene, arguments, row) and good
    write_page()
    for row in [] if arguments.page or arguments.no_films or arguments.trial else FILMS:
        if not arguments.names or row[0] in arguments.names:
            good = attempt(make_film, arguments, row) and good
    print(f"see {arguments.images if arguments.trial else DOCS / 'README.md'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
