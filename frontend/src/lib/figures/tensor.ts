/** Cut what the judge shows of a tensor into planes that a page can draw. */

import type { Scalar } from "./numbers";
import type { Preview } from "$lib/types";

export type TensorPreview = Extract<Preview, { kind: "tensor" }>;
/** Two dimensions of a tensor at one place of the others. */
export type Plane = {
  /** The index of the leading dimensions. */
  readonly lead: readonly number[];
  /** What stands before each row and above each column: their numbers in the whole tensor. */
  readonly rowNames: readonly string[];
  readonly columnNames: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
};
export type Cell = {
  readonly value: Scalar;
  /** Its index in the whole tensor. */
  readonly index: readonly number[];
  readonly isMarked: boolean;
};

/** A vector longer than this goes on in the next line. */
export const WRAP = 12;

export function isTensor(preview: Preview | null): preview is TensorPreview {
  return preview?.kind === "tensor";
}

/** The begin and end of each dimension that is shown. */
export function windowOf(preview: TensorPreview): readonly (readonly [number, number])[] {
  const { window, shape } = preview;
  const isWindow = Array.isArray(window) && window.length === shape.length;
  return isWindow ? (window as [number, number][]) : shape.map((size) => [0, size] as const);
}

export function isCut(preview: TensorPreview): boolean {
  return windowOf(preview).some(([from, to], dim) => to - from < (preview.shape[dim] ?? 0));
}

/** Cut a tensor into its planes; a vector is one plane, wrapped. */
export function planesOf(preview: TensorPreview): Plane[] {
  const window = windowOf(preview);
  const sizes = window.map(([from, to]) => to - from);
  const marks = new Set(preview.marks);
  const cellOf = (value: Scalar, at: number): Cell => {
    return { value, index: indexOf(at, window, sizes), isMarked: marks.has(at) };
  };
  const cells = preview.values.map(cellOf);
  if (window.length < 2) return cells.length ? [vectorOf(cells, window[0]?.[0])] : [];
  const width = sizes.at(-1) ?? 1;
  const height = sizes.at(-2) ?? 1;
  const rowNames = numbers(window.at(-2)?.[0] ?? 0, height);
  const columnNames = numbers(window.at(-1)?.[0] ?? 0, width);
  return chunks(cells, width * height).map((plane) => {
    return { lead: plane[0]?.index.slice(0, -2) ?? [], rowNames, columnNames, rows: chunks(plane, width) };
  });
}

/** Set a vector, or a single number, in lines of `WRAP`. */
function vectorOf(cells: readonly Cell[], from: number | undefined): Plane {
  const rows = chunks(cells, WRAP);
  const isOne = rows.length === 1;
  const first = isOne ? (from ?? 0) : 0;
  const columnNames = from === undefined ? [""] : numbers(first, rows[0]?.length ?? 0);
  const rowNames = rows.map((_, at) => (isOne ? "" : `${(from ?? 0) + at * WRAP} +`));
  return { lead: [], rowNames, columnNames, rows };
}

function numbers(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => String(from + at));
}

function indexOf(at: number, window: readonly (readonly [number, number])[], sizes: readonly number[]): number[] {
  const index: number[] = [];
  for (let dim = sizes.length - 1; dim >= 0; dim--) {
    const size = sizes[dim] || 1;
    index.unshift((window[dim]?.[0] ?? 0) + (at % size));
    at = Math.floor(at / size);
  }
  return index;
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; size > 0 && at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}

/** Say dtype and shape: `float32 (2, 5)`. */
export function describe(preview: TensorPreview): string {
  return `${preview.dtype} ${tuple(preview.shape)}`;
}

export function tuple(numbers: readonly number[]): string {
  return `(${numbers.join(", ")}${numbers.length === 1 ? "," : ""})`;
}

/** Whether the strides are those of a tensor that lies in order. */
export function isContiguous(preview: TensorPreview): boolean {
  let wanted = 1;
  for (let dim = preview.shape.length - 1; dim >= 0; dim--) {
    const size = preview.shape[dim] ?? 1;
    if (size === 0) return true;
    if (size !== 1 && preview.stride[dim] !== wanted) return false;
    wanted *= size;
  }
  return true;
}

/** Actual less expected, element by element, or why it has no number. */
export type Difference = {
  readonly planes: readonly Plane[];
  /** The largest finite difference. */
  readonly most: number;
  /** Its element; undefined where nothing differs by a number. */
  readonly peak: Cell | undefined;
};

/** Subtract two tensors of the same shape; undefined where that says nothing. */
export function subtract(actual: Preview | null, expected: Preview | null): Difference | undefined {
  if (!isTensor(actual) || !isTensor(expected) || !actual.values.length) return undefined;
  const place = (preview: TensorPreview) => JSON.stringify([preview.shape, windowOf(preview)]);
  if (place(actual) !== place(expected) || actual.values.length !== expected.values.length) return undefined;
  if (actual.dtype.startsWith("complex")) return undefined;
  const values = actual.values.map((value, at) => less(value, expected.values[at] ?? "nan"));
  const planes = planesOf({ ...actual, values });
  let peak: Cell | undefined;
  let most = 0;
  for (const cell of planes.flatMap((plane) => plane.rows.flat())) {
    if (typeof cell.value !== "number" || Math.abs(cell.value) <= most) continue;
    [peak, most] = [cell, Math.abs(cell.value)];
  }
  return { planes, most, peak };
}

function less(actual: Scalar, expected: Scalar): number | string {
  const [a, b] = [Number(actual), Number(expected)];
  // `Number` reads no "inf" and no "nan", so these come out as words.
  if (Number.isFinite(a) && Number.isFinite(b)) return a - b;
  if (actual === expected) return 0;
  return typeof actual === "string" ? actual : `≠ ${String(expected)}`;
}

/** The step of the heat scale, -4 to 4; 0 for no difference. */
export function heatOf(value: Scalar, most: number): number {
  if (typeof value !== "number" || value === 0 || most === 0) return 0;
  return Math.sign(value) * Math.min(4, Math.max(1, Math.ceil((4 * Math.abs(value)) / most)));
}

/** The class of a cell that holds a difference. */
export function heatClass(value: Scalar, most: number): string {
  const step = heatOf(value, most);
  if (typeof value === "string") return "word";
  return step === 0 ? "" : step > 0 ? `hot${step}` : `cold${-step}`;
}

/** The part of a large plane around its peak, at most `size` rows and columns. */
export function cutAround(plane: Plane, peak: Cell | undefined, size: number): Plane {
  const at = plane.rows.findIndex((row) => row.some((cell) => cell === peak));
  const column = plane.rows[Math.max(0, at)]?.findIndex((cell) => cell === peak) ?? 0;
  const begin = (place: number, length: number) => Math.max(0, Math.min(place - size / 2, length - size));
  const top = begin(Math.max(0, at), plane.rows.length);
  const left = begin(Math.max(0, column), plane.rows[0]?.length ?? 0);
  return {
    lead: plane.lead,
    rowNames: plane.rowNames.slice(top, top + size),
    columnNames: plane.columnNames.slice(left, left + size),
    rows: plane.rows.slice(top, top + size).map((row) => row.slice(left, left + size)),
  };
}

/** How wide a column must be in pixels for all of these words, in the mono face of tables. */
export function columnWidth(words: readonly string[]): number {
  return Math.max(32, ...words.map((word) => word.length * 7.4 + 13));
}
