#!/usr/bin/env python3
"""Runs the drop test, or the press test, with every preset, renders its pictures and writes
docs/materials.md.

    tools/material_pages.py [--ooze build/ooze] [--runs runs/materials] [--threads N]
                            [--samples N] [--page] [NAME...]

A finished run is kept while the material and the scene are unchanged. NAMEs select presets;
--page only writes the page, with the existing pictures. A plot
docs/images/materials/NAME_rheo.svg or .png is shown if it exists."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DROP, PRESS = ROOT / "scenes/presets/drop.yaml", ROOT / "scenes/presets/press.yaml"
ROD, SETTING = ROOT / "scenes/presets/rod.yaml", ROOT / "scenes/presets/setting.yaml"
PAGE = ROOT / "docs/materials.md"
IMAGES = ROOT / "docs/images/materials"
BYTES_MAX = 60_000
# Frames shown. Drop: 83 ms after the ball was 4 mm above the saucer, and 1.25 s; press: before the
# stamp or rod goes up, and a second later.
FRAMES = {DROP: (2, 30), SETTING: (2, 30), PRESS: (12, 36), ROD: (12, 36)}
# Too stiff for the drop test: all of these would be a ball.
PRESSED = ("dough", "clay", "jelly")
# Tests of one preset alone.
OWN = {"chewing_gum": ROD, "wax": SETTING}
# Further settings of the drop test, by preset.
EXTRA = {
    "jelly": ["fluids.ball.body=soft", "solids.saucer.friction=0.5"],
    "lava": ["fluids.ball.temperature=1150", "air.transfer=3000"],
}
EXTRA_WORDS = {
    "jelly": ": it keeps its shape and does not cling.",
    "lava": ": it glows by its temperature, and the air cools its surface. Without a temperature "
            "it glows as at 1150 degC.",
}
# Clear and coloured materials: a blue saucer would show through.
ON_WHITE = ("oil", "honey", "syrup", "slime", "jelly", "mucus")
# Captions.
WORDS = {
    "water": "Splashes over the rim and leaves a film.",
    "oil": "Runs out to the rim in one sheet and comes to rest.",
    "honey": "A thick lens that goes on spreading.",
    "syrup": "Like honey, but faster.",
    "cream": "Thinner than oil: it runs up the rim and back.",
    "whipped_cream": "A dollop: flattened by its landing, then it keeps its shape.",
    "yoghurt": "Flattened by its landing to a thick disc, which stays.",
    "ketchup": "A blob that slumps as it lands and stays, with a round edge.",
    "toothpaste": "Dented by its landing; keeps its shape.",
    "dough": "The stamp sinks in; a second later the hollow has closed, with lumps where it stuck.",
    "clay": "A bowl: nothing comes back.",
    "slime": "Lands like rubber, then flows.",
    "jelly": "Squashed, then a ball again.",
    "chewing_gum": "It sticks to the rod, comes off the saucer with it and leaves a skin there.",
    "chocolate": "Flows out to a thick disc and stops.",
    "lava": "It begins to sink: a second is short for lava. Its surface darkens as it cools.",
    "mucus": "Spreads as a liquid and contracts again.",
    "wax": "It splashes as a liquid and sets on the cold saucer, with its drops. The numbers are "
           "those of the melt; the scene adds a table of viscosities by temperature.",
    "pdms": "Like thick honey, but clear.",
    "egg_white": "Spreads wide in one piece, thick in the middle.",
}

# How methods show presets: the rules of src/methods/derive.c and derive.c of each method.
METHODS = [
    "## In other methods",
    "",
    "`conformation` uses every number of a preset. The other methods have fewer numbers, "
    "or numbers of their own. When a scene is read, the",
    "numbers of a preset are replaced by those with which its method comes nearest to "
    "the material; numbers that the scene gives itself stay, and",
    "`scene.yaml` of the run folder holds the result. `ooze check` describes the flow "
    "that the method will show, and names the numbers",
    "of the preset that it does not use:",
    "",
    "    warning: the method 'wcsph' shows 'sauce' as a fluid of 3.01 Pa s, and does not "
    "use its elasticity (modulus), yield stress",
    "    (yield_strain), thinning (thinning, thinning_rate, thinning_exponent)",
    "",
    "H is the height of the fluid in the scene, U and L speed and width of its flow "
    "([advice.md](advice.md)). A material **holds** if it is elastic, and either its",
    "yield stress carries its weight, rho g H < sqrt(3) yield, or it relaxes more slowly "
    "than the scene ends and sags by less than half its height. Several relaxation times "
    "count as",
    "one, tau = sum G tau^2/sum G tau, with the modulus eta/tau: viscosity and normal "
    "stresses of a slow flow stay the same. The viscosity eta of a fluid that thins or "
    "yields is that at the rate",
    "U/L, yield stress over rate included.",
    "",
    "| method | material | numbers |",
    "| --- | --- | --- |",
    "| `cauchy`, `stress` | elastic, Maxwell | `modulus`, `relaxation_time`, "
    "`solvent_viscosity` of one mode |",
    "| `cauchy` | beyond its yield stress | stress = yield rate/sqrt(rate^2 + r^2) + eta "
    "rate with r = 0.05 U/L (Bercovier and Engelman 1980): `viscosity` yield/r with "
    "`thinning: carreau`, exponent 0 |",
    "| `stress`, `wcsph` | beyond its yield stress | `viscosity` eta |",
    "| `wcsph` | every | `viscosity` eta: nothing keeps its shape |",
    "| `blend` | holds | `fluid_share: 0`, `modulus`, `solvent_viscosity`; "
    "`update_threshold` sqrt(3) yield/(rho H) |",
    "| `blend` | relaxes | `fluid_share: 0`, `update_threshold: 0`, `update_interval` T "
    "= 2 tau, `modulus` 2 eta/T: mean stress eta rate |",
    "| `blend` | other fluids | `fluid_share: 1`, `viscosity` eta |",
    "| `links` | holds | `label: elastic` |",
    "| `links` | fluids | `stretch_rate` rho g H/(6 eta), at most sqrt(2 g/H): a column "
    "of Trouton's viscosity 3 eta under its weight |",
    "| `springs` | every | `unit` for which H stands; `linear_viscosity` nu U/(0.068 "
    "h^2), of the solvent where there are springs |",
    "| `springs` | elastic, Maxwell | `spring_stiffness` G U^2/(0.136 rho h^2), at most "
    "0.9; `plasticity` U/tau; `yield_ratio` half the yield strain; `spring_start: "
    "distance` |",
    "",
    "In `springs` U is the `unit` and h the support. On a floor its fluids come to rest in a layer "
    "of 3.2 spacings, and those of `links` in one of 1.2, whatever their viscosity: `ooze check` "
    "says that a viscosity is not used where rho g H/(6 eta) t > ln(H/layer) for the duration t, "
    "but in `springs` not of fluids that inertia carries farther (sqrt(2 g H) H/nu above 7 at 5 "
    "spacings of height, 188 at 8, 900 at 10). Within these bounds thicker fluids stay behind "
    "thinner ones (`unit_preset_methods`); how far fluids of `links` come depends on time step and "
    "spacing all the same.",
    "",
    "A world that is built by calls "
    "(`ooze_material_preset`, `World.add_material(preset=...)`) gets the same numbers from its "
    "first step, for the fluids, emitters and solids that it has then, and for its `duration` "
    "(1 s where it is not given). Numbers that are set by themselves stay, before and after. "
    "Presets that are chosen in `ooze view` have the measured numbers.",
    "",
]


def presets(ooze):
    return json.loads(subprocess.run([str(ooze), "presets", "--json"], check=True,
                                     capture_output=True, text=True).stdout)


def scene_of(name):
    return OWN.get(name, PRESS if name in PRESSED else DROP)


def sets_of(name):
    return [f"materials.sample.preset={name}", *EXTRA.get(name, [])]


def simulate(arguments, preset):
    name, run = preset["name"], arguments.runs / preset["name"]
    # the part of the scene that pictures do not depend on
    moves = re.sub(r", look: \{[^}]*\}", "", scene_of(name).read_text().split("render:")[0])
    identity = json.dumps([[(number["key"], number["value"]) for number in preset["numbers"]],
                           moves, sets_of(name)])
    note = run / "material.json"
    if note.exists() and json.loads(note.read_text()).get("identity") == identity:
        return run
    shutil.rmtree(run, ignore_errors=True)
    command = [str(arguments.ooze), "run", str(scene_of(name)), "-o", str(run)]
    for one in sets_of(name):
        command += ["--set", one]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    start = time.monotonic()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    note.write_text(json.dumps({"identity": identity, "wall": time.monotonic() - start}))
    print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
    return run


def draw(arguments, run, preset):
    """Both frames side by side, with a colour palette: a third of the size, with hardly visible
    differences."""
    pictures = run / "drop"
    shutil.rmtree(pictures, ignore_errors=True)
    scene = scene_of(preset["name"])
    early, late = FRAMES[scene]
    command = [str(arguments.ooze), "render", str(run), "--scene", str(scene), "--frames",
               f"{early}:{late}:{late - early}", "--samples",
               str(arguments.samples), "-o", str(pictures), "--video", str(run / "drop.mp4")]
    white = ["solids.saucer.look=ceramic",
             "solids.rim.look=ceramic"] if preset["name"] in ON_WHITE else []
    for one in sets_of(preset["name"]) + white:
        command += ["--set", one]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    target = IMAGES / f"{preset['name']}_drop.png"
    IMAGES.mkdir(parents=True, exist_ok=True)
    for colours in (256, 128, 64):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i",
                        str(pictures / f"frame_{early:06d}.png"), "-i",
                        str(pictures / f"frame_{late:06d}.png"), "-filter_complex",
                        f"hstack,split[a][b];[a]palettegen=max_colors={colours}[p];"
                        "[b][p]paletteuse=dither=sierra2_4a", str(target)], check=True)
        if target.stat().st_size <= BYTES_MAX:
            return
    sys.exit(f"{target} has {target.stat().st_size} bytes, more than {BYTES_MAX}")


def section(preset):
    name = preset["name"]
    lines = [f"## {name}", "", f"{preset['summary'][0].upper()}{preset['summary'][1:]}, at "
                               f"{preset['celsius']:g} °C. "
             f"{preset['model'][0].upper()}{preset['model'][1:]}.", "", "| | | | |",
             "| --- | ---: | --- | --- |"]
    before = None
    for number in preset["numbers"]:
        source = "likewise" if number["source"] == before else number["source"]
        before = number["source"]
        value = number["value"] if isinstance(number["value"], str) else f"{number['value']:g}"
        lines.append(f"| `{number['key']}` | {value} {number['unit']} | {number['origin']} | "
                     f"{source} |".replace("  ", " "))
    values = {number["key"]: number["value"] for number in preset["numbers"]}
    if "yield_strain" in values:
        lines += ["", f"Yield stress: {values['modulus'] * values['yield_strain']:.3g} Pa."]
    if (IMAGES / f"{name}_drop.png").exists():
        lines += ["", f"![drop test of {name}](images/materials/{name}_drop.png)", "",
                  WORDS.get(name, "")]
    for suffix in ("svg", "png"):
        if (IMAGES / f"{name}_rheo.{suffix}").exists():
            lines += ["", f"![{name} in the rheometer](images/materials/{name}_rheo.{suffix})"]
            break
    return lines + [""]


def page(all_presets):
    lines = ["# Materials", "", "<!-- Written by tools/material_pages.py from `ooze presets "
                                "--json`. -->", "",
             "Materials by name, for a scene, the command line and the API "
             "(`ooze_material_preset`):", "",
             "    materials:", "      mine: {preset: honey, viscosity: 20}        # the scene's "
                               "own numbers override", "",
             "    ooze run SCENE -o RUN --set materials.mine.preset=ketchup",
             "    ooze presets ketchup            # numbers, sources, "
             "a block to paste", "",
             "Numbers are those of the real material, in SI units. Each is **measured** (as the "
             "source reports it), **typical** (the order of",
             "magnitude: samples differ, sources scatter) or **artistic** (chosen so that the "
             "material moves as expected). Colours and",
             "looks are always chosen by eye. Foods vary by brand and day: use these as a "
             "start, and fit your own with "
             "[`ooze rheo`](rheology.md).", "",
             "A fluid looks more viscous at a small size than at a large one. If honey looks like "
             "water in your scene, check",
             "the size of the scene first.", "",
             "Pictures show the drop test, [scenes/presets/drop.yaml](../scenes/presets/drop.yaml):"
             " a ball of 44 mm that has fallen 5 cm, "
             f"{1000 * FRAMES[DROP][0] / 24:.0f} ms and", f"{FRAMES[DROP][1] / 24:.2f} s after it "
             "was 4 mm above a saucer of 14 cm. Stiff materials would stay balls: "
             + ", ".join(PRESSED) + " are",
             "pressed to half their height instead "
             "([scenes/presets/press.yaml](../scenes/presets/press.yaml)), and shown under the "
             "stamp and", "a second after it was lifted. A rod is pushed into chewing gum and "
             "drawn out ([scenes/presets/rod.yaml](../scenes/presets/rod.yaml)),", "and the saucer "
             "under wax is cold "
             "([scenes/presets/setting.yaml](../scenes/presets/setting.yaml)).", "",
             "    ooze run scenes/presets/drop.yaml -o runs/drop --set "
             "materials.sample.preset=NAME", "    ooze render runs/drop "
             "--frames {0}:{1}:{2}".format(*FRAMES[DROP], FRAMES[DROP][1] - FRAMES[DROP][0]), ""]
    for name, extra in EXTRA.items():
        lines += [f"With {name} also `{'` and `'.join('--set ' + one for one in extra)}`"
                  f"{EXTRA_WORDS[name]}", ""]
    lines += METHODS
    lines += [", ".join(f"[{preset['name']}](#{preset['name']})" for preset in all_presets), ""]
    for preset in all_presets:
        lines += section(preset)
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ooze", default=ROOT / "build/ooze", type=pathlib.Path)
    parser.add_argument("--runs", default=ROOT / "runs/materials", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--samples", type=int, default=48)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    every = presets(arguments.ooze)
    for name in arguments.names:
        if name not in [preset["name"] for preset in every]:
            sys.exit(f"there is no preset '{name}'")
    os.makedirs(arguments.runs, exist_ok=True)
    for preset in every:
        if not arguments.page and (not arguments.names or preset["name"] in arguments.names):
            draw(arguments, simulate(arguments, preset), preset)
    PAGE.write_text(page(every))


if __name__ == "__main__":
    main()
