// The list of scenes: one group for each folder, a small variant beside its scene, and a search.
import type { SceneEntry } from "./messages";

const words = (text: string) => text.toLowerCase().replaceAll("_", " ");

export class Scenes {
  private rows: { row: HTMLElement; words: string }[] = [];

  constructor(private host: HTMLElement, private search: HTMLInputElement, private open: (index: number) => void) {
    search.oninput = () => this.filter();
  }

  build(entries: SceneEntry[], opened: number) {
    const rows = new Map<number, HTMLElement>(), groups = new Map<string, HTMLDetailsElement>();
    this.rows = [];
    this.search.value = "";
    entries.forEach((entry, i) => {
      if (entry.smallOf >= 0) return;
      const row = Object.assign(document.createElement("div"), { className: "sceneRow" });
      row.append(this.button(i, this.titleOf(entries, i), opened));
      rows.set(i, row);
      this.rows.push({ row, words: words(`${entry.folder} ${entry.name} ${entry.title}`) });
      this.group(groups, entry.folder).append(row);
    });
    entries.forEach((entry, i) => {
      const button = entry.smallOf >= 0 && this.button(i, "small", opened);
      if (button) button.setAttribute("aria-label", `${this.titleOf(entries, entry.smallOf)}, small`);
      if (button) rows.get(entry.smallOf)?.append(button);
    });
    this.host.replaceChildren(...groups.values());
    this.showOpened();
  }

  // Two scenes of a folder with one title are told apart by their files.
  private titleOf(entries: SceneEntry[], index: number): string {
    const { folder, name, title } = entries[index];
    const same = entries.filter((other) => other.smallOf < 0 && other.folder === folder && other.title === title);
    return same.length > 1 ? `${title} (${name})` : title;
  }

  private group(groups: Map<string, HTMLDetailsElement>, folder: string): HTMLDetailsElement {
    let group = groups.get(folder);
    if (!group) {
      group = document.createElement("details");
      group.append(Object.assign(document.createElement("summary"), { textContent: folder === "." ? "this folder" : folder }));
      groups.set(folder, group);
    }
    return group;
  }

  private button(index: number, label: string, opened: number): HTMLButtonElement {
    const button = Object.assign(document.createElement("button"), { textContent: label });
    button.dataset.scene = String(index);
    if (index === opened) button.setAttribute("aria-current", "true");
    button.onclick = () => this.open(index);
    return button;
  }

  // The folder of the open scene alone.
  private showOpened() {
    for (const group of this.host.querySelectorAll("details")) {
      group.hidden = false;
      group.open = this.host.childElementCount === 1 || group.querySelector("[aria-current]") !== null;
    }
  }

  // Every word must occur in the folder, the file or the title.
  private filter() {
    const wanted = words(this.search.value).split(" ").filter((word) => word !== "");
    for (const { row, words: known } of this.rows) row.hidden = !wanted.every((word) => known.includes(word));
    if (wanted.length === 0) {
      this.showOpened();
      return;
    }
    for (const group of this.host.querySelectorAll("details")) {
      group.hidden = group.querySelector(".sceneRow:not([hidden])") === null;
      group.open = !group.hidden;
    }
  }
}
