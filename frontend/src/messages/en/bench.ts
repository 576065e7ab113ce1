/** The words of the clock, of completion and of formatting. */

import { counted } from "./number";

export const bench = {
  format: "Format",
  formatted: "Formatted.",
  kept: {
    keep: "Keep…",
    list: (count: number) => `Kept inputs (${count})`,
    name: "Name of the input",
    rename: (name: string) => `New name of ${name}`,
    load: "Load",
    go: { keep: "Keep", replace: "Replace", rename: "Rename", remove: "Delete" },
    cancel: "Cancel",
    undo: "Undo",
    done: (name: string) => `Kept as ${name}. In the terminal: --input '@${name}'`,
    loaded: (name: string) => `${name} is loaded.`,
    taken: "The case is loaded.",
    deleted: (name: string) => `${name} is deleted.`,
  },
  expected: "Expected, from the reference",
  completion: { count: (count: number) => `${counted(count, "suggestion", "suggestions")}; arrow down to choose` },
  keyRows: { format: "format the text", palette: "go to a problem, a tab or a setting", complete: "complete a name; then ↓ and ↵, or Tab" },
  clock: {
    worked: (minutes: number) => `${minutes} min worked`,
    away: ", paused",
    stop: ". ",
    about: (planned: number) =>
      `The clock counts while this page is seen and something was done in the last two minutes. Easy needs at most ${planned} min.`,
  },
};
