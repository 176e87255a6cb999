#!/usr/bin/env python3
"""Measures `ooze view` as a page sees it, over its own WebSocket.

  OOZE_BUILD_DIR=build bench/view_bench.py SCENE [PARTICLES [THREADS]]

Waits until the scene has that many particles (15,000), then prints frames a second, processor time
of a step, bytes of a frame, the time from a slider to the first frame that it has changed, and how
much 200 connections and a page that never reads slow the steps down. On a machine with other load
only ratios and processor times mean something."""
import os
import pathlib
import random
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/fault"))
os.environ.setdefault("OOZE_BUILD_DIR", "build")
from view_client import Page, Viewer  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident_mib(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def watch(viewer, page, seconds):
    """Frames and steps a second, and processor milliseconds a step."""
    first = page.wait("frame")
    began, processor, frames = time.monotonic(), processor_seconds(viewer.process), 0
    last = first
    while time.monotonic() < began + seconds:
        last = page.wait("frame")
        frames += 1
    passed, steps = time.monotonic() - began, last["step"] - first["step"]
    processor = processor_seconds(viewer.process) - processor
    return frames / passed, steps / passed, 1e3 * processor / max(steps, 1)


def latencies(page, parameter, values):
    """Milliseconds from a change of a slider to the frame of the first step after it."""
    found = []
    for value in values:
        rows = page.wait("state")["rows"]
        page.wait("frame")
        time.sleep(random.uniform(0, 0.04))  # at any time within a step
        began = time.monotonic()
        page.say(f"set {parameter} {value}")
        page.wait("state", lambda state: state["rows"] > rows)
        page.wait("frame")
        found.append(1e3 * (time.monotonic() - began))
    return found


def crowded(viewer, page):
    """Time and processor time of a step with 200 connections, of which one asks for every frame and
    never reads, over those without."""
    ratios = []
    for _ in range(5):
        alone = watch(viewer, page, 4)
        others = [Page(viewer) for _ in range(200)]
        deaf = others[0]
        for i in range(200):
            deaf.say(f"ack {i}")
        among = watch(viewer, page, 4)
        ratios.append((alone[1] / among[1], among[2] / alone[2]))
        for other in others:
            other.close()
    return ratios


def main():
    scene = sys.argv[1]
    particles = int(sys.argv[2]) if len(sys.argv) > 2 else 15000
    threads = sys.argv[3] if len(sys.argv) > 3 else "2"
    with Viewer(scene, threads=threads) as viewer, Page(viewer) as page:
        page.reads_points = False
        described = page.wait("scene")
        page.say("speed 0")
        state = page.wait("state", lambda state: state["particles"] >= particles or
                          state["time"] > 30, 3600)
        print(f"{described['title']}: {state['particles']} particles at {state['time']:.2f} s")
        page.say("speed 1")
        frames, steps, processor = watch(viewer, page, 10)
        state = page.wait("state")
        print(f"  {frames:.1f} frames/s, {steps:.1f} steps/s, {processor:.1f} processor ms a step, "
              f"{state['realTimeFactor']:.2f} of real time")
        size = page.wait("frame")["size"]
        print(f"  {size} bytes a frame, {size / state['particles']:.2f} a particle; "
              f"state {page.state_size} bytes")
        paths = [parameter["path"] for parameter in described["parameters"]]
        gravity = paths.index("gravity.y")
        found = latencies(page, gravity, [-9.8 - 0.001 * i for i in range(20)])
        print(f"  slider to frame: median {statistics.median(found):.0f} ms, "
              f"most {max(found):.0f} ms, of which a step takes {1e3 / steps:.0f}")
        for name, ratios in zip(("time", "processor time"), zip(*crowded(viewer, page))):
            print(f"  {name} of a step with 200 connections over that without: median "
                  f"{statistics.median(ratios):.3f} of " + ", ".join(f"{r:.3f}" for r in ratios))
        print(f"  resident {resident_mib(viewer.process):.0f} MiB")


main()
