/** The autograd graph as rows in the order in which the backward runs, with what each node keeps. */

import { lineOf, sayBytes, sayTuple, type GraphNode, type GraphScene, type Item, type Saved } from "./scene";

export type Kept = { readonly name: string; readonly saved: Saved; readonly side: number };
export type GraphRow = { readonly node: GraphNode; readonly step: number | undefined; readonly kept: readonly Kept[]; readonly height: number };

export const MOST_ROWS = 200;
const [ROW, LEAST, MOST] = [30, 6, 64];

/** The nodes in the order they ran, those that did not at the end. */
export function rowsOf({ nodes, order }: GraphScene): GraphRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ran = new Set(order);
  const ids = [...order, ...nodes.map(({ id }) => id).filter((id) => !ran.has(id))];
  const most = Math.max(1, ...nodes.flatMap(({ saved }) => Object.values(saved).map(({ bytes }) => bytes ?? 0)));
  return ids.map((id, at) => {
    const node = byId.get(id)!;
    // The area is the bytes.
    const kept = Object.entries(node.saved).map(([name, saved]) => ({
      name,
      saved,
      side: Math.max(LEAST, MOST * Math.sqrt((saved.bytes ?? 0) / most)),
    }));
    const height = Math.max(ROW, ...kept.map(({ side }) => side + 10));
    return { node, step: at < order.length ? at + 1 : undefined, kept, height };
  });
}

/** The name without the space of C++. */
export const nameOf = ({ name }: GraphNode): string => name.replace(/^torch::autograd::/, "");

type Said = {
  node: (name: string, step: number | undefined) => string;
  leaf: (name: string) => string;
  keeps: (what: string) => string;
  state: Readonly<Record<Saved["state"], string>>;
  parameter: string;
  nothing: string;
};

export function itemsOf(rows: readonly GraphRow[], words: Said, glue: string): Item[] {
  return rows.map(({ node, step, kept }) => {
    const what = kept.map(({ name, saved }) => {
      const state = saved.state === "live" ? "" : words.state[saved.state];
      return [name, sayTuple(saved.shape), saved.bytes === null ? "" : sayBytes(saved.bytes), saved.is_parameter ? words.parameter : "", state].filter(Boolean).join(" ");
    });
    const spoiled = kept.find(({ saved }) => saved.state === "modified")?.saved.words;
    const said = [words.node(nameOf(node), step), node.leaf ? words.leaf(node.leaf) : "", what.length ? words.keeps(what.join("; ")) : words.nothing, spoiled ?? ""];
    return {
      lines: lineOf(node.line),
      said: said.filter(Boolean).join(glue),
      cells: [nameOf(node), `${step ?? "–"}`, `${node.line ?? "–"}`, node.leaf ?? node.module ?? "–", what.join("; ") || "–", kept.length ? sayBytes(kept.reduce((sum, { saved }) => sum + (saved.bytes ?? 0), 0)) : "–"],
    };
  });
}
