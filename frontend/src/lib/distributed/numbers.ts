/** Times, sizes and axes as the figures of distributed training have them. */

/** Say a time in its fitting unit: `12.6 ms`. */
export function saySeconds(seconds: number): string {
  if (seconds >= 999.5) return `${Math.round(seconds)} s`;
  for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]] as const) {
    if (seconds >= 0.9995 * size) return `${round(seconds / size)} ${unit}`;
  }
  return seconds > 5e-11 ? `${round(seconds * 1e9)} ns` : "0";
}

/** Say a number of bytes in its fitting unit: `393 kB`. */
export function sayBytes(size: number): string {
  for (const [unit, step] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as const) {
    if (size >= 0.9995 * step) return `${round(size / step)} ${unit}`;
  }
  return `${size} B`;
}

/** Three digits, and no zeros behind them. */
export const round = (value: number) => `${Number(value.toPrecision(3))}`;

/** Numbers from 0 on, at distances of 1, 2 or 5 times a power of ten. */
export function ticks(end: number, most: number): readonly number[] {
  if (!(end > 0)) return [0];
  const rough = end / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((each) => each * power >= rough * (1 - 1e-9))!;
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, index) => index * step);
}

/** Numbers with neighbours joined: `0–2, 5`. */
export function sayRanks(ranks: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const rank of [...ranks].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && rank === last[1] + 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
}

/** Read a number that somebody has typed; undefined if it is none. */
export function readNumber(text: string): number | undefined {
  return /^\s*\d{1,9}([.]\d{1,9})?\s*$/.test(text) ? Number(text) : undefined;
}

/** Read a whole number that somebody has typed; undefined if it is none. */
export function readWhole(text: string): number | undefined {
  return /^\s*[+-]?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}
