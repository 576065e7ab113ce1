/** The words of the map of PyTorch. */

import { counted } from "./number";

export const explain = {
  title: "The map of PyTorch",
  lead: (torch: string) => `From the Python API to the kernel, for torch ${torch}. Each line between two parts has evidence: a claim that runs, or a file of the release.`,
  back: "X-ray of your own code",
  layers: "Layer",
  all: "all layers",
  counts: (components: number, edges: number, claims: number) => `${components} components, ${edges} edges; ${claims} of them proven by a claim that runs.`,
  caption: "Solid: a claim runs. Dashed: a file is cited. Thick: owns. Point at a component, or go there with the arrow keys: it says what it is and shows what ties it.",
  name: (components: number) => `Map of ${counted(components, "component", "components")}`,
  home: "lives in",
  questions: "Questions on it",
  problem: "Write it yourself",
  edges: (name: string) => `What ties ${name}`,
  kinds: { calls: "calls", owns: "owns", registers: "registers with", data: "hands data to" },
  edge: (from: string, kind: string, to: string) => `${from} ${kind} ${to}`,
  claim: "Claim that runs",
  cited: "Cited",
  play: {
    label: "Play a call over the map",
    hint: "x is a float32 tensor of shape (4, 4) that requires a gradient.",
    start: "Record and play",
    busy: "Recording",
    step: (at: number, of: number, name: string) => `Step ${at} of ${of}: ${name}.`,
    before: "Before",
    next: "Next",
    stops: "The stops of the call",
    stop: (op: string, key: string) => `${op} at ${key}`,
    clear: "Clear",
    gone: "The server did not answer. Try again.",
    note: "Each step is a stop that was observed; which component does something there is the map's.",
  },
  table: "All edges as a table",
  head: ["From", "Kind", "To", "Evidence"],
};
