/** A row of times on a logarithmic axis. */

export type Axis = { readonly at: (ms: number) => number; readonly ticks: readonly number[] };

/** Lay an axis over some times, between two places; its ticks are 1, 2 and 5 times a power of ten. */
export function axisOf(values: readonly number[], from: number, to: number): Axis {
  const known = values.filter((value) => value > 0);
  const [least, most] = known.length ? [Math.min(...known), Math.max(...known)] : [1, 10];
  // A single time has room on both sides.
  const [low, high] = [Math.log10(least / 1.5), Math.log10(most * 1.5)];
  const at = (ms: number) => from + ((Math.log10(ms > 0 ? ms : least) - low) / (high - low)) * (to - from);
  const ticks: number[] = [];
  for (let power = Math.floor(low); power <= high; power++)
    for (const digit of [1, 2, 5]) {
      const tick = digit * 10 ** power;
      if (Math.log10(tick) >= low && Math.log10(tick) <= high) ticks.push(Number(tick.toPrecision(3)));
    }
  const step = Math.ceil(ticks.length / 6);
  return { at, ticks: ticks.filter((_, index) => index % step === 0) };
}

/** Say a time as exactly as it is worth: `0.042 ms`, `4.2 ms`, `1.4 s`. */
export function sayTime(ms: number): string {
  return ms >= 999.5 ? `${(ms / 1000).toPrecision(3)} s` : `${ms >= 99.5 ? ms.toFixed(0) : ms.toPrecision(2)} ms`;
}

/** Say a number of bytes as exactly as it is worth: `96 B`, `4.1 kB`, `1.2 MB`. */
export function sayBytes(bytes: number): string {
  if (bytes < 999.5) return `${Math.round(bytes)} B`;
  const [size, unit] = bytes < 999.5e3 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${Number(size.toPrecision(3))} ${unit}`;
}

/** Say a multiple: `0.25 ×`. */
export function sayMultiple(ratio: number): string {
  return `${Number(ratio.toPrecision(3))} ×`;
}
