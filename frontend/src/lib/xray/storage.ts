/** Storages as ribbons of cells, and below each which cells a view visits, in which order. */

import { sayBytes, sayOp, sayTuple, type Item, type Storage, type StorageScene, type View } from "./scene";

export type Cell = { readonly at: number; readonly words: string; readonly visits: number };
export type ViewRow = { readonly storage: Storage; readonly view: View; readonly cells: readonly Cell[] | undefined };

// As many views as are drawn; the table has them all.
export const MOST_ROWS = 60;
const SIZES: Readonly<Record<string, number>> = { complex128: 16, float64: 8, int64: 8, complex64: 8, float32: 4, int32: 4, float16: 2, bfloat16: 2, int16: 2 };

export const sizeOf = (dtype: string): number => SIZES[dtype] ?? 1;

/** The storages, those that several names share first. */
export function sorted({ storages }: StorageScene): Storage[] {
  return [...storages].sort((one, other) => Number(other.views.length > 1) - Number(one.views.length > 1));
}

export function rowsOf(storages: readonly Storage[]): ViewRow[] {
  return storages.flatMap((storage) => storage.views.map((view) => ({ storage, view, cells: view.cells ? visitsOf(view.cells) : undefined })));
}

function visitsOf(order: readonly number[]): Cell[] {
  const visits = new Map<number, number[]>();
  order.forEach((cell, place) => {
    const places = visits.get(cell);
    if (places) places.push(place);
    else visits.set(cell, [place]);
  });
  return [...visits].map(([at, places]) => ({ at, visits: places.length, words: sayPlaces(places) }));
}

function sayPlaces(places: readonly number[]): string {
  const [first, last] = [places[0]!, places.at(-1)!];
  if (places.length > 2 && last - first === places.length - 1) return `${first}–${last}`;
  return places.length > 2 ? `${first}…${last}` : places.join();
}

/** The lines on which something was done to each storage. */
export function linesOf({ timeline }: StorageScene): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const { storage, line } of timeline) {
    const lines = found.get(storage);
    if (!lines) found.set(storage, [line]);
    else if (!lines.includes(line)) lines.push(line);
  }
  return found;
}

type Said = {
  view: (name: string, shape: string, stride: string, offset: number, storage: string, bytes: string) => string;
  of: (base: string) => string;
  overlaps: string;
  version: (version: number) => string;
  written: (line: number, op: string, version: number | null) => string;
};

export function itemsOf(scene: StorageScene, rows: readonly ViewRow[], words: Said, glue: string): Item[] {
  const lines = linesOf(scene);
  return rows.map(({ storage, view }) => {
    const marks = [view.overlaps ? words.overlaps : "", view.version ? words.version(view.version) : ""].filter(Boolean);
    const [shape, stride] = [sayTuple(view.shape), sayTuple(view.stride)];
    return {
      lines: lines.get(storage.id) ?? [],
      said: [words.view(view.name, shape, stride, view.offset, storage.id, sayBytes(storage.bytes)), view.base ? words.of(view.base) : "", ...marks].filter(Boolean).join(glue),
      cells: [view.name, storage.id, shape, stride, `${view.offset}`, view.dtype, view.base ?? "–", `${view.version}`, view.cells ? view.cells.slice(0, 64).join(" ") + (view.cells.length > 64 ? " …" : "") : "–"],
    };
  });
}

/** Writes to a storage that others see as well. */
export function writesOf(scene: StorageScene, words: Said): { readonly line: number; readonly said: string }[] {
  const shared = new Set(scene.storages.filter(({ views }) => views.length > 1).map(({ id }) => id));
  return scene.timeline
    .filter(({ event, storage }) => event === "write" && shared.has(storage))
    .map(({ line, op, version }) => ({ line, said: words.written(line, sayOp(op), version) }));
}
