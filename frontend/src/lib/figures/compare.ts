/** Set what was wanted against what came, element by element. */

import { type Format, formatFor, type Scalar, signed } from "./numbers";
import { type Cell, type Difference, isTensor, type Plane, planesOf, subtract, type TensorPreview, tuple } from "./tensor";
import type { Preview, Smallest, SmallestRow } from "$lib/types";

export type Comparison = {
  readonly tensors: readonly TensorPreview[];
  /** The planes that both have, for choosing one. */
  readonly planes: readonly Plane[];
  /** Undefined where the two cannot be subtracted. */
  readonly difference: Difference | undefined;
  readonly cells: readonly Cell[];
  /** Which plane holds the largest difference. */
  readonly peakPlane: number;
  readonly format: Format;
  readonly formatDifference: Format;
  readonly expectedAt: (cell: Cell) => string;
  readonly actualAt: (cell: Cell) => string;
};

export function compare(row: SmallestRow): Comparison {
  const tensors = [row.expected, row.actual].filter(isTensor);
  const isWhole = tensors.every((each) => /^u?int|bool/.test(each.dtype));
  const format = formatFor(tensors.flatMap((each) => each.values), isWhole);
  const difference = subtract(row.actual, row.expected);
  const cells = difference?.planes.flatMap((plane) => plane.rows.flat()) ?? [];
  const at = difference?.planes.findIndex((plane) => plane.rows.flat().some((cell) => cell === difference.peak)) ?? 0;
  const [expected, actual] = [valuesOf(row.expected), valuesOf(row.actual)];
  return {
    tensors,
    planes: tensors[0] ? planesOf(tensors[0]) : [],
    difference,
    cells,
    peakPlane: Math.max(0, at),
    format,
    formatDifference: signed(formatFor(cells.map((cell) => cell.value), isWhole)),
    expectedAt: (cell) => format(expected.get(String(cell.index)) ?? ""),
    actualAt: (cell) => format(actual.get(String(cell.index)) ?? ""),
  };
}

/** The name of the input that a gradient belongs to, by shape and dtype; undefined where several are alike. */
export function inputOf(gradient: Preview | null, inputs: Smallest["inputs"]): string | undefined {
  if (!isTensor(gradient)) return undefined;
  const kind = ({ dtype, shape }: TensorPreview) => `${dtype} ${tuple(shape)}`;
  const alike = inputs.filter(({ preview }) => isTensor(preview) && kind(preview) === kind(gradient));
  return alike.length === 1 ? alike[0]?.name : undefined;
}

function valuesOf(preview: Preview | null): ReadonlyMap<string, Scalar> {
  if (!isTensor(preview)) return new Map();
  const cells = planesOf(preview).flatMap((plane) => plane.rows.flat());
  return new Map(cells.map((cell) => [String(cell.index), cell.value]));
}
