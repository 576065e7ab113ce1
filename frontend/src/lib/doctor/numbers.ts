/** Times and numbers as the charts of a diagnosis have them. */

import { round, saySeconds } from "../distributed/numbers";

export { round, sayBytes, ticks } from "../distributed/numbers";

export const sayUs = (us: number) => (us < 0 ? `−${saySeconds(-us * 1e-6)}` : saySeconds(us * 1e-6));
export const sayMs = (ms: number) => sayUs(ms * 1000);
export const sayShare = (share: number) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;

const STEPS = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]] as const;
/** A count in its fitting unit: `312 T`. */
export function sayCount(value: number): string {
  for (const [unit, size] of STEPS) if (value >= 0.9995 * size) return `${round(value / size)} ${unit}`;
  return round(value);
}

/** A number of a formula: three digits, thousands apart. */
export function sayNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en").replaceAll(",", " ");
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en").replaceAll(",", " ") : round(value);
}
