// Colour maps and themes. The map is that of the offline pictures' legends: dark blue to yellow.
import type { Vector } from "./messages";

// Control points of viridis, sRGB.
const map: Vector[] = [
  [0.267, 0.005, 0.329], [0.283, 0.141, 0.458], [0.254, 0.265, 0.53], [0.207, 0.372, 0.553],
  [0.164, 0.471, 0.558], [0.128, 0.567, 0.551], [0.135, 0.659, 0.518], [0.267, 0.749, 0.441],
  [0.478, 0.821, 0.318], [0.741, 0.873, 0.15], [0.993, 0.906, 0.144],
];

export function mapTexture(): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (map.length - 1), k = Math.min(Math.floor(at), map.length - 2);
    for (let c = 0; c < 3; c++) {
      pixels[4 * i + c] = 255 * (map[k][c] + (at - k) * (map[k + 1][c] - map[k][c]));
    }
    pixels[4 * i + 3] = 255;
  }
  return pixels;
}

export function mapGradient(): string {
  const stops = map.map((c) => `rgb(${c.map((x) => Math.round(255 * x)).join(" ")})`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

// Distinct colours of materials, linear, for colouring by material.
export const distinct: Vector[] = [
  [0.78, 0.35, 0.05], [0.05, 0.25, 0.62], [0.1, 0.45, 0.12], [0.55, 0.06, 0.2], [0.35, 0.18, 0.55],
  [0.6, 0.5, 0.05], [0.05, 0.45, 0.45], [0.4, 0.4, 0.4],
];

export interface Theme {
  dark: boolean;
  low: Vector; // of the backdrop, linear
  high: Vector;
  ground: Vector;
}

export const themes: Record<"light" | "dark", Theme> = {
  light: { dark: false, low: [0.55, 0.54, 0.52], high: [0.9, 0.9, 0.91], ground: [0.62, 0.61, 0.59] },
  dark: { dark: true, low: [0.018, 0.02, 0.024], high: [0.06, 0.066, 0.078], ground: [0.05, 0.053, 0.06] },
};
