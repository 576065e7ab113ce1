/** The layout of the map: a band for each layer, in it the components in the order in which edges cross least. */

import type { ArchitectureMap } from "../types";

export type Box = { readonly id: string; readonly x: number; readonly y: number; readonly width: number };
export type Band = { readonly id: string; readonly y: number };

export const HIGH = 30;
const [TITLE, GAP, LETTER, ROUNDS] = [28, 10, 7.2, 4];

/** The part of the map that a layer sees: its components, and those that are tied to them. */
export function zoom(map: ArchitectureMap, layer: string): ArchitectureMap {
  if (!layer) return map;
  const inside = new Set(map.components.filter((each) => each.layer === layer).map(({ id }) => id));
  const edges = map.edges.filter(({ source, target }) => inside.has(source) || inside.has(target));
  const shown = new Set([...inside, ...edges.flatMap(({ source, target }) => [source, target])]);
  return { ...map, edges, components: map.components.filter(({ id }) => shown.has(id)) };
}

export function layout({ layers, components, edges }: ArchitectureMap, width: number): { readonly boxes: ReadonlyMap<string, Box>; readonly bands: readonly Band[]; readonly height: number } {
  const rows = layers.map(({ id }) => components.filter(({ layer }) => layer === id).map((each) => each.id));
  const ties = new Map<string, string[]>(components.map(({ id }) => [id, []]));
  for (const { source, target } of edges) {
    ties.get(source)!.push(target);
    ties.get(target)!.push(source);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const places = new Map(rows.flatMap((row) => row.map((id, at) => [id, at / Math.max(1, row.length - 1)] as const)));
    const middle = (id: string) => {
      const all = ties.get(id)!;
      return all.length ? all.reduce((sum, each) => sum + places.get(each)!, 0) / all.length : 0.5;
    };
    for (const row of rows) row.sort((one, other) => middle(one) - middle(other));
  }
  const names = new Map(components.map(({ id, name }) => [id, name]));
  const boxes = new Map<string, Box>();
  const bands: Band[] = [];
  let y = 8;
  rows.forEach((row, at) => {
    if (!row.length) return;
    bands.push({ id: layers[at]!.id, y });
    y += TITLE;
    for (const line of linesOf(row, names, width - 2)) {
      const sizes = line.map((id) => sizeOf(names.get(id)!, width));
      const spare = (width - 2 - sizes.reduce((sum, each) => sum + each, 0) - GAP * (line.length - 1)) / line.length;
      let x = 1;
      line.forEach((id, place) => {
        // Boxes grow into the room that is left, but not without end.
        const wide = sizes[place]! + Math.min(48, Math.max(0, spare));
        boxes.set(id, { id, x, y, width: wide });
        x += wide + GAP;
      });
      y += HIGH + GAP + 6;
    }
    y += 18;
  });
  return { boxes, bands, height: y };
}

const sizeOf = (name: string, width: number) => Math.min(width, name.length * LETTER + 20);

function linesOf(row: readonly string[], names: ReadonlyMap<string, string>, width: number): string[][] {
  const lines: string[][] = [[]];
  let used = 0;
  for (const id of row) {
    const wide = sizeOf(names.get(id)!, width) + GAP;
    if (used + wide > width + GAP && lines.at(-1)!.length) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)!.push(id);
    used += wide;
  }
  return lines;
}

/** A curve from a box to another one. */
export function curve(from: Box, to: Box): string {
  const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2];
  if (from.y === to.y) return `M${x1} ${from.y}C${x1} ${from.y - 14} ${x2} ${to.y - 14} ${x2} ${to.y}`;
  const [y1, y2] = to.y > from.y ? [from.y + HIGH, to.y] : [from.y, to.y + HIGH];
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}

/** The box that lies next in a direction. */
export function neighbour(boxes: ReadonlyMap<string, Box>, from: Box | undefined, key: string): string | undefined {
  const all = [...boxes.values()];
  if (!from) return all[0]?.id;
  const middle = (box: Box) => box.x + box.width / 2;
  if (key === "ArrowLeft" || key === "ArrowRight") return all[all.indexOf(from) + (key === "ArrowLeft" ? -1 : 1)]?.id;
  const beyond = all.filter(({ y }) => (key === "ArrowUp" ? y < from.y : y > from.y));
  const nearest = key === "ArrowUp" ? Math.max(...beyond.map(({ y }) => y)) : Math.min(...beyond.map(({ y }) => y));
  return beyond.filter(({ y }) => y === nearest).sort((one, other) => Math.abs(middle(one) - middle(from)) - Math.abs(middle(other) - middle(from)))[0]?.id;
}
