/** Write the inputs of a case as Python that builds exactly these tensors. */

import type { Scalar } from "./numbers";
import { describe, isContiguous, isCut, isTensor, type TensorPreview, tuple } from "./tensor";
import type { Preview, Smallest } from "$lib/types";

const MAX_STORAGE = 4096;
const NAME = /^[A-Za-z_]\w*$/;

type Input = Smallest["inputs"][number];

/** The inputs as assignments to paste. */
export function pythonOf(inputs: readonly Input[], partly: string): string {
  const lines = inputs.map(({ name, preview }) => {
    const left = name.replace(/\W+/g, "_").replace(/^(?=\d)/, "_");
    if (!isTensor(preview)) return `${left} = ${preview.text}`;
    const note = isCut(preview) ? `  # ${partly}: ${describe(preview)}` : "";
    return `${left} = ${literal(preview)}${note}`;
  });
  return ["import torch", "", ...lines, ""].join("\n");
}

/**
 * A call of a function on the inputs, to try it; undefined where that would not be the same case.
 *
 * Only of the parameters that the signature names: what else was drawn is not known to be an argument.
 */
export function callOf(signature: string, inputs: readonly Input[]): string | undefined {
  const match = /^([A-Za-z_]\w*)\(([^;]*)\)$/.exec(signature.trim());
  if (!match?.[1] || match[2] === undefined || match[2].includes("*")) return undefined;
  const names = match[2].split(",").map((each) => each.trim().split(/[=:\s]/)[0]);
  const isKnown = ({ name, preview }: Input) =>
    NAME.test(name) && names.includes(name) && !(isTensor(preview) && isCut(preview));
  if (!inputs.length || !inputs.every(isKnown)) return undefined;
  const textOf = (preview: Preview) => (isTensor(preview) ? literal(preview) : preview.text);
  const values = inputs.map(({ name, preview }) => [name, textOf(preview)] as const);
  // Printed values that are no expressions cannot be called with.
  if (values.some(([, text]) => /^<|\.\.\.$/.test(text))) return undefined;
  return `${match[1]}(${values.map(([name, text]) => `${name}=${text}`).join(", ")})`;
}

function literal(preview: TensorPreview): string {
  const dtype = `dtype=torch.${preview.dtype}`;
  if (!preview.values.length) return `torch.empty(${tuple(preview.shape)}, ${dtype})`;
  const storage = isContiguous(preview) || isCut(preview) ? undefined : storageOf(preview);
  if (!storage) return `torch.tensor(${nested(preview.values, shownShape(preview))}, ${dtype})`;
  const view = `as_strided(${tuple(preview.shape)}, ${tuple(preview.stride)})`;
  return `torch.tensor([${storage.map(scalar).join(", ")}], ${dtype}).${view}`;
}

function shownShape(preview: TensorPreview): readonly number[] {
  if (!isCut(preview)) return preview.shape;
  return (preview.window as [number, number][]).map(([from, to]) => to - from);
}

/** The memory that these strides read, gaps as zeros. */
function storageOf({ shape, stride, values }: TensorPreview): Scalar[] | undefined {
  const size = 1 + shape.reduce((sum, length, dim) => sum + (length - 1) * (stride[dim] ?? 0), 0);
  if (size > MAX_STORAGE || stride.some((step) => step < 0)) return undefined;
  const storage: Scalar[] = Array<Scalar>(size).fill(0);
  for (const [at, value] of values.entries()) {
    let rest = at;
    let place = 0;
    for (let dim = shape.length - 1; dim >= 0; dim--) {
      const length = shape[dim] ?? 1;
      place += (rest % length) * (stride[dim] ?? 0);
      rest = Math.floor(rest / length);
    }
    storage[place] = value;
  }
  return storage;
}

function nested(values: readonly Scalar[], shape: readonly number[]): string {
  const [length, ...rest] = shape;
  if (length === undefined) return scalar(values[0] ?? 0);
  const size = values.length / length;
  const parts = Array.from({ length }, (_, at) => nested(values.slice(at * size, (at + 1) * size), rest));
  return `[${parts.join(", ")}]`;
}

function scalar(value: Scalar): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return Object.is(value, -0) ? "-0.0" : String(value);
  const words: Record<string, string> = { nan: "torch.nan", inf: "torch.inf", "-inf": "-torch.inf" };
  return words[value] ?? value;
}
