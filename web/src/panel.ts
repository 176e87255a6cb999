// Sliders, switches and choices, generated from the list of parameters.
import type { Parameter, Scene, Value } from "./messages";

type Send = (message: string) => void;

interface Control {
  row: HTMLElement;
  show(value: Value): void;
  touched: number; // when the user last changed it: until a moment later the program's value waits
}

export function text(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return "0";
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2).replace("e+", "e") : String(+value.toPrecision(4));
}

// From the position of a slider, 0 to 1, to the value and back.
interface Scale { low: number; high: number; log: boolean }

function scaleFor(parameter: Parameter, value: number): Scale {
  const low = parameter.low ?? -Infinity, high = parameter.high ?? Infinity;
  if (parameter.key.startsWith("gravity")) return { low: -20, high: 20, log: false };
  if (parameter.unit === "degC") return { low: Math.max(low, Math.min(-20, value - 50)), high: Math.min(high, Math.max(120, value + 50)), log: false };
  if (high - low <= 1000 && high < 1e6) return { low, high, log: false };
  if (value > 0 && low >= 0) return { low: Math.max(value / 100, low), high: Math.min(value * 100, high), log: true };
  return { low: Math.max(low, Math.min(-1, 2 * value)), high: Math.min(high, Math.max(1, 2 * Math.abs(value))), log: false };
}

const toValue = (s: Scale, at: number) =>
  s.log ? s.low * (s.high / s.low) ** at : s.low + at * (s.high - s.low);
const toPosition = (s: Scale, value: number) =>
  Math.min(Math.max(s.log ? Math.log(value / s.low) / Math.log(s.high / s.low) : (value - s.low) / (s.high - s.low), 0), 1);

function element<T extends HTMLElement>(tag: string, properties: object = {}, ...children: (Node | string)[]): T {
  const made = Object.assign(document.createElement(tag), properties) as unknown as T;
  made.append(...children);
  return made;
}

export class Panel {
  private controls: Control[] = [];
  private scene: Scene | null = null;

  constructor(private host: HTMLElement, private send: Send) {}

  build(scene: Scene) {
    this.scene = scene;
    this.host.replaceChildren();
    this.controls = scene.parameters.map((parameter, i) => this.control(parameter, i));
    const groups = new Map<string, HTMLDetailsElement>();
    if (scene.live) this.host.append(this.restarts(scene));
    scene.parameters.forEach((parameter, i) => {
      const name = `${parameter.target} ${parameter.group}`;
      let group = groups.get(name);
      if (!group) {
        group = element<HTMLDetailsElement>("details", {}, element("summary", {}, this.groupTitle(parameter)));
        group.open = groups.size === 0;
        if (parameter.target === "materials") group.append(this.presets(parameter.group));
        groups.set(name, group);
        this.host.append(group);
      }
      group.append(this.controls[i].row);
    });
  }

  // Numbers that a scene can only begin with.
  private restarts(scene: Scene): HTMLElement {
    const group = element<HTMLDetailsElement>("details", {}, element("summary", {}, "begin anew with"));
    for (const [key, unit, value] of [["time_step", "s", scene.timeStep], ["spacing", "m", scene.spacing]] as const) {
      const field = element<HTMLInputElement>("input", { id: key, type: "text", inputMode: "decimal", value: text(value) });
      field.onchange = () => {
        if (Number(field.value) > 0) this.send(`restart ${key} ${Number(field.value)}`);
        else field.setAttribute("aria-invalid", "true");
      };
      const label = element<HTMLLabelElement>("label", { htmlFor: key }, key.replaceAll("_", " "), element("small", {}, ` ${unit}`));
      group.append(element("div", { className: "row" }, label, field));
    }
    return group;
  }

  private groupTitle(parameter: Parameter): string {
    const kinds: Record<string, string> = { materials: "material", solids: "solid", emitters: "nozzle", joints: "joint" };
    const kind = kinds[parameter.target];
    if (parameter.key.startsWith("gravity")) return "gravity";
    return kind ? `${parameter.group} (${kind})` : parameter.group === "method" ? `method ${this.scene?.method}` : parameter.group;
  }

  // The program replaces all numbers of the material.
  private presets(group: string): HTMLElement {
    const select = element<HTMLSelectElement>("select", { ariaLabel: `Preset for ${group}` }, new Option("preset …", ""));
    for (const preset of this.scene?.presets ?? []) select.append(new Option(preset.name.replaceAll("_", " "), preset.name));
    select.onchange = () => {
      const material = this.scene?.materials.findIndex((m) => m.name === group);
      this.send(`preset ${material} ${select.value}`);
      select.value = "";
    };
    return element("div", { className: "row preset" }, select);
  }

  private control(parameter: Parameter, index: number): Control {
    const id = `p${index}`, title = parameter.help + (parameter.unit ? ` (${parameter.unit})` : "");
    const label = element("label", { htmlFor: id, title }, parameter.key.replaceAll("_", " "));
    if (parameter.unit) label.append(element("small", {}, ` ${parameter.unit}`));
    const row = element("div", { className: "row parameter" }, label);
    row.dataset.path = parameter.path;
    const control: Control = { row, show: () => {}, touched: 0 };
    const change = (value: string) => {
      control.touched = performance.now();
      this.send(`set ${index} ${value}`);
    };
    if (parameter.kind === "switch") this.addSwitch(control, id, change);
    else if (parameter.kind === "choice") this.addChoice(control, id, parameter, change);
    else this.addNumber(control, id, parameter, change);
    return control;
  }

  private addSwitch(control: Control, id: string, change: (value: string) => void) {
    const box = element<HTMLInputElement>("input", { id, type: "checkbox" });
    box.onchange = () => change(String(box.checked));
    control.row.append(box);
    control.show = (value) => { box.checked = value === 1; };
  }

  private addChoice(control: Control, id: string, parameter: Parameter, change: (value: string) => void) {
    const select = element<HTMLSelectElement>("select", { id });
    for (const choice of parameter.choices ?? []) select.append(new Option(choice, choice));
    select.onchange = () => change(select.value);
    control.row.append(select);
    control.show = (value) => { select.selectedIndex = value === null ? -1 : Number(value); };
  }

  private addNumber(control: Control, id: string, parameter: Parameter, change: (value: string) => void) {
    const field = element<HTMLInputElement>("input", { id, type: "text", inputMode: "decimal", autocomplete: "off" });
    const slider = element<HTMLInputElement>("input", { type: "range", min: "0", max: "1", step: "0.001" });
    slider.setAttribute("aria-label", `${parameter.key.replaceAll("_", " ")} of ${parameter.group}`);
    let scale: Scale | null = null, last = 0;
    const round = (value: number) => (parameter.kind === "integer" ? Math.round(value) : +value.toPrecision(4));
    let waiting = 0;
    slider.oninput = () => {
      if (!scale) return;
      const value = round(toValue(scale, Number(slider.value)));
      field.value = text(value);
      slider.setAttribute("aria-valuetext", `${field.value} ${parameter.unit}`);
      control.touched = performance.now();
      window.clearTimeout(waiting); // at most twenty a second, and the last one always
      waiting = window.setTimeout(() => { last = performance.now(); change(String(value)); },
        Math.max(0, 50 - (performance.now() - last)));
    };
    field.onchange = () => {
      const wanted = field.value.trim().replace(",", ".");
      if (wanted === "inf" || (wanted !== "" && isFinite(Number(wanted)))) {
        scale = null;
        change(wanted);
      } else {
        field.setAttribute("aria-invalid", "true");
      }
    };
    control.row.append(field, slider);
    control.show = (value) => {
      field.removeAttribute("aria-invalid");
      if (document.activeElement !== field) field.value = value === null ? "" : typeof value === "string" ? value : text(value);
      field.placeholder = value === null ? "not set" : "";
      slider.disabled = typeof value !== "number";
      if (typeof value === "number") {
        const outside = scale && (value < scale.low || value > scale.high);
        if (!scale || outside) scale = scaleFor(parameter, value);
        slider.value = String(toPosition(scale, value));
      }
    };
  }

  update(values: Value[]) {
    const now = performance.now();
    values.forEach((value, i) => {
      const control = this.controls[i];
      if (control && now - control.touched > 500) control.show(value);
    });
  }

  filter(words: string) {
    const wanted = words.toLowerCase();
    for (const control of this.controls) {
      control.row.hidden = wanted !== "" && !control.row.dataset.path?.toLowerCase().replaceAll("_", " ").includes(wanted.replaceAll("_", " "));
    }
    for (const group of this.host.querySelectorAll("details")) {
      if (!group.querySelector(".parameter")) continue;
      const any = [...group.querySelectorAll<HTMLElement>(".parameter")].some((row) => !row.hidden);
      group.hidden = !any;
      if (wanted !== "") group.open = any;
    }
  }
}
