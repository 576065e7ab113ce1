/** Where the boxes of a flame graph are. */

import type { Flame, FlameNode } from "../types";

export type Box = { readonly at: number; readonly node: FlameNode; readonly depth: number; readonly x: number; readonly width: number };

// What is narrower is not drawn; it is in the table.
const LEAST = 1;
const MOST_DEPTH = 40;

/** Place the boxes below a node, or all; `room` is their whole width. */
export function place(flame: Flame, root: number | undefined, room: number): readonly Box[] {
  const { nodes } = flame;
  const top = root === undefined ? undefined : nodes[root];
  const scale = room / (top ? top.time : flame.time);
  // The nodes come with callers first, so that a caller has its place before what it calls.
  const free: number[] = [];
  const depths: number[] = [];
  const boxes: Box[] = [];
  let next = 0;
  const above = new Set<number>();
  for (let at = root ?? -1; at >= 0; at = nodes[at]!.parent) above.add(at);
  nodes.forEach((node, at) => {
    const isTop = root === undefined ? node.parent < 0 : at === root;
    const isIn = node.parent >= 0 && free[node.parent] !== undefined && at !== root;
    if (!isTop && !isIn) return;
    const x = isTop ? next : free[node.parent]!;
    const depth = isTop ? 0 : depths[node.parent]! + 1;
    const width = node.time * scale;
    if (isTop) next += width;
    else free[node.parent] = x + width;
    free[at] = x;
    depths[at] = depth;
    if (width >= LEAST && depth < MOST_DEPTH) boxes.push({ at, node, depth, x, width });
  });
  return boxes;
}

/** The box that an arrow key leads to. */
export function neighbour(boxes: readonly Box[], from: Box | undefined, key: string): Box | undefined {
  if (!from) return boxes[0];
  if (key === "ArrowUp") return boxes.find((box) => box.at === from.node.parent);
  if (key === "ArrowDown") return boxes.find((box) => box.node.parent === from.at);
  const row = boxes.filter((box) => box.depth === from.depth).sort((a, b) => a.x - b.x);
  return row[row.indexOf(from) + (key === "ArrowRight" ? 1 : -1)];
}
