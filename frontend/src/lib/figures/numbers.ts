/** Write numbers so that they can be compared by eye. */

export type Scalar = number | string | boolean;

const MINUS = "\u2212";
const DIGITS = 4;

/** One way to write all numbers of a figure. */
export type Format = (value: Scalar) => string;

/** Choose how to write some numbers: integers as they are, others with four digits, all alike. */
export function formatFor(values: readonly Scalar[], isWhole = false): Format {
  const sizes = values.filter((v): v is number => typeof v === "number" && v !== 0 && Number.isFinite(v)).map(Math.abs);
  if (!sizes.length || isWhole || sizes.every((size) => Number.isInteger(size) && size < 1e6)) return write(String);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const decimals = Math.min(DIGITS, Math.max(1, DIGITS - Math.floor(Math.log10(most))));
  // The smallest must keep two digits that say something.
  const isPlain = most < 1e6 && least >= 10 ** (1 - decimals);
  return write((size) => (isPlain ? size.toFixed(decimals) : exponential(size, DIGITS - 1)));
}

/** Write a measure in a sentence, with so many digits: `18,500,000`, `1.2e32`, `0.31`. */
export function formatMeasure(size: number, digits: number): string {
  if (size !== 0 && (size < 1e-3 || size >= 1e9)) return exponential(size, digits - 1);
  return size.toLocaleString("en", { maximumSignificantDigits: digits });
}

/** The same with a sign before what is positive. */
export function signed(format: Format): Format {
  return (value) => (typeof value === "number" && value > 0 ? `+${format(value)}` : format(value));
}

function write(size: (size: number) => string): Format {
  return (value) => {
    if (typeof value === "boolean") return value ? "True" : "False";
    if (typeof value === "string") return value.replaceAll("-", MINUS);
    if (value === 0) return Object.is(value, -0) ? `${MINUS}0` : "0";
    return (value < 0 ? MINUS : "") + size(Math.abs(value));
  };
}

function exponential(size: number, decimals: number): string {
  return size.toExponential(decimals).replace("e+", "e").replace("e-", `e${MINUS}`);
}

/** Write an error over its tolerance: `0.31×`, `8.5e30×`. */
export function formatRatio(ratio: number | "inf"): string {
  if (ratio === "inf" || !Number.isFinite(ratio)) return "∞";
  if (ratio === 0) return "0";
  if (ratio < 0.001) return "<0.001×";
  if (ratio < 0.1) return `${ratio.toPrecision(2)}×`;
  if (ratio < 100) {
    const text = ratio.toFixed(2);
    // On which side of the tolerance it is must be read right.
    const side = text !== "1.00" || ratio === 1 ? "" : ratio < 1 ? "<" : ">";
    return `${side}${text}×`;
  }
  if (ratio < 1e5) return `${Math.round(ratio).toLocaleString("en")}×`;
  return `${exponential(ratio, 1)}×`;
}

/** Write bytes that were counted in KiB. */
export function formatKib(kib: number): string {
  return kib < 1024 ? `${kib} KiB` : `${Math.round(kib / 1024).toLocaleString("en")} MiB`;
}
