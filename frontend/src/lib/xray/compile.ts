/** What a line became: three columns, lines, nodes and kernels, and what joins them. */

import { lineOf, type CompileScene, type CompiledGraph, type Item } from "./scene";

export type Place = { readonly kind: "line" | "node" | "kernel"; readonly name: string; readonly lines: readonly number[]; readonly y: number; readonly item: number };
export type Drawn = { readonly places: readonly Place[]; readonly ties: readonly { readonly from: Place; readonly to: Place }[]; readonly height: number };

const [ROW, TOP, MOST_NODES] = [26, 34, 400];

/** Place lines, nodes and kernels; a kernel stands beside the middle of its lines, where there is room. */
export function drawn(scene: CompileScene): Drawn {
  const places: Place[] = [];
  const ties: { from: Place; to: Place }[] = [];
  const put = (kind: Place["kind"], name: string, lines: readonly number[], y: number): Place => {
    const place = { kind, name, lines, y, item: places.length };
    places.push(place);
    return place;
  };
  const lines = new Map<number, Place>();
  let y = TOP;
  for (const { line, nodes } of scene.map) {
    lines.set(line, put("line", `${line}`, [line], y));
    y += ROW * Math.max(1, Math.min(nodes.length, MOST_NODES));
  }
  const middle = new Map<number, number>();
  for (const { line, nodes } of scene.map) {
    const from = lines.get(line)!;
    nodes.slice(0, MOST_NODES).forEach((name, at) => ties.push({ from, to: put("node", short(name), [line], from.y + at * ROW) }));
    middle.set(line, from.y + (ROW * (Math.min(nodes.length, MOST_NODES) - 1)) / 2);
  }
  const kernels = scene.graphs.flatMap((graph) => graph.kernels);
  const wanted = kernels
    .map((kernel) => ({ kernel, y: mean(kernel.lines.map((line) => middle.get(line) ?? TOP)) }))
    .sort((one, other) => one.y - other.y);
  let free = TOP;
  for (const { kernel, y: near } of wanted) {
    const to = put("kernel", kernel.name, kernel.lines, Math.max(free, near));
    free = to.y + ROW;
    for (const node of places.filter((each) => each.kind === "node" && kernel.lines.includes(each.lines[0]!))) ties.push({ from: node, to });
  }
  return { places, ties, height: Math.max(y, free) + 8 };
}

const mean = (values: readonly number[]) => (values.length ? values.reduce((sum, each) => sum + each, 0) / values.length : TOP);
const short = (name: string) => name.slice(name.indexOf(":") + 1);

type Said = { line: (line: string, nodes: number, kernels: number) => string; node: (name: string, line: number) => string; kernel: (name: string, lines: string, nodes: string) => string; kinds: Readonly<Record<Place["kind"], string>> };

export function itemsOf(scene: CompileScene, { places }: Drawn, words: Said): Item[] {
  const kernels = new Map(scene.graphs.flatMap((graph) => graph.kernels.map((kernel) => [kernel.name, kernel])));
  return places.map(({ kind, name, lines }) => {
    const row = scene.map.find(({ line }) => line === lines[0]);
    const to = kind === "kernel" ? (kernels.get(name)?.nodes ?? []) : (row?.kernels ?? []).map(short);
    const said =
      kind === "line"
        ? words.line(name, row?.nodes.length ?? 0, to.length)
        : kind === "node"
          ? words.node(name, lines[0]!)
          : words.kernel(name, lines.join(", "), to.join(", "));
    return { lines, said, cells: [words.kinds[kind], name, lines.join(", ") || "–", to.join(", ") || "–"] };
  });
}

/** The stages of a graph that have a text, in order. */
export function stagesOf(graph: CompiledGraph): { readonly name: string; readonly text: string }[] {
  const guards = graph.guards.map(({ kind, source, expression }) => `${kind} ${source}: ${expression}`).join("\n");
  const texts: [string, string | null][] = [
    ["dynamo", graph.dynamo],
    ["guards", guards],
    ["pre_grad", graph.pre_grad],
    ["joint", graph.joint],
    ["forward", graph.forward],
    ["backward", graph.backward],
    ["post_grad", graph.post_grad.join("\n\n")],
    ["kernels", graph.kernels.map(({ name, stage, code }) => `// ${name} (${stage})\n${code}`).join("\n")],
  ];
  return texts.filter(([, text]) => text?.trim()).map(([name, text]) => ({ name, text: text! }));
}

export const breakLines = (scene: CompileScene): readonly number[] => scene.breaks.flatMap(({ line }) => lineOf(line));
