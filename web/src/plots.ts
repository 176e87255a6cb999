// Curves of the probes over time, the newest at the right.
import type { Scene } from "./messages";
import { text } from "./panel";

interface Plot { canvas: HTMLCanvasElement; caption: HTMLElement; points: [number, number][]; name: string; unit: string }

const length = 600;

export class Plots {
  private plots: Plot[] = [];

  constructor(private host: HTMLElement) {}

  build(scene: Scene) {
    this.host.replaceChildren();
    this.plots = scene.probes.map((probe) => {
      const name = probe.column === `${probe.probe}.${probe.probe}` ? probe.probe : probe.column;
      const figure = document.createElement("figure"), canvas = document.createElement("canvas");
      const caption = document.createElement("figcaption");
      canvas.setAttribute("role", "img");
      figure.append(caption, canvas);
      figure.dataset.probe = name;
      this.host.append(figure);
      return { canvas, caption, points: [], name, unit: probe.unit };
    });
  }

  add(time: number, readings: (number | null)[]) {
    readings.forEach((value, i) => {
      const plot = this.plots[i];
      if (!plot) return;
      const last = plot.points.at(-1);
      if (last && time < last[0]) plot.points = plot.points.filter((p) => p[0] < time); // an undo or reset
      if (value === null || (last && time === last[0])) return;
      plot.points.push([time, value]);
      if (plot.points.length > length) plot.points = plot.points.filter((_, k) => k % 2 === 0);
    });
  }

  draw() {
    for (const plot of this.plots) {
      const last = plot.points.at(-1);
      const value = last ? `${text(last[1])} ${plot.unit}` : "";
      plot.caption.textContent = `${plot.name} ${value}`;
      plot.canvas.setAttribute("aria-label", `Curve of ${plot.name}, now ${value}`);
      const box = plot.canvas.getBoundingClientRect();
      if (box.width === 0) continue;
      plot.canvas.width = box.width * devicePixelRatio;
      plot.canvas.height = box.height * devicePixelRatio;
      this.curve(plot);
    }
  }

  private curve(plot: Plot) {
    const pen = plot.canvas.getContext("2d");
    if (!pen || plot.points.length < 2) return;
    const { width, height } = plot.canvas, values = plot.points.map((p) => p[1]);
    const low = Math.min(...values), high = Math.max(...values), span = high - low || 1;
    const from = plot.points[0][0], to = plot.points.at(-1)![0];
    pen.strokeStyle = getComputedStyle(document.body).getPropertyValue("--accent");
    pen.lineWidth = 1.6 * devicePixelRatio;
    pen.lineJoin = "round";
    pen.beginPath();
    for (const [time, value] of plot.points) {
      pen.lineTo(((time - from) / (to - from || 1)) * width, height - (0.08 + (0.84 * (value - low)) / span) * height);
    }
    pen.stroke();
    pen.fillStyle = getComputedStyle(document.body).getPropertyValue("--faint");
    pen.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
    pen.fillText(text(high), 2, 11 * devicePixelRatio);
    pen.fillText(text(low), 2, height - 3);
  }
}
