/** How the panes of a problem share the window: two splitters, kept in this browser, and one pane in full size. */

import { cookie, write } from "./preferences.svelte";

export type Pane = "statement" | "code" | "verdict";
/** Statement and work; editor and verdict; the same before there is a verdict. */
export type Split = "columns" | "rows" | "idle";

/** Where the panes stand side by side; elsewhere the page scrolls as a whole. The style sheets have the same. */
export const WIDE = "(width >= 900px) and (height >= 480px)";

const nameOf = (split: Split) => `torchstone_${split}`;

class Panes {
  // The share of the first pane in percent; null: as the style sheet divides.
  columns = $state(read("columns"));
  rows = $state(read("rows"));
  idle = $state(read("idle"));
  /** The pane that has the window for itself. */
  maximised = $state<Pane | null>(null);

  /** Forget a share with null. */
  keep(split: Split, share: number | null): void {
    this[split] = share;
    write(nameOf(split), share === null ? "" : String(share));
  }

  toggle(pane: Pane): void {
    this.maximised = this.maximised === pane ? null : pane;
  }

  /** Make sure that a pane is on the screen. */
  show(pane: Pane): void {
    if (this.maximised !== pane) this.maximised = null;
  }
}

function read(split: Split): number | null {
  const text = cookie(nameOf(split)) ?? "";
  const share = Number(text);
  return text !== "" && share >= 0 && share <= 100 ? share : null;
}

export const panes = new Panes();
