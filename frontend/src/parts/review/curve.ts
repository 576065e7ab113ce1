/** The geometry of the forgetting curve; what is drawn is decided here, how it looks is not. */

export type Point = { readonly day: number; readonly chance: number };

/** A problem is due on the day its chance falls to this. */
export const RETENTION = 0.9;

const STEPS = [1, 2, 5, 7, 10, 14, 30, 60, 90, 180, 365];
const MAX_TICKS = 7;

export type Plot = {
  readonly x: (day: number) => number;
  readonly y: (chance: number) => number;
  readonly path: string;
  readonly days: readonly number[];
  readonly chances: readonly number[];
};

type Frame = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

/** Lay the curve into a frame; the axes reach to now and the due day, and down to a round chance below all. */
export function plot(curve: readonly Point[], now: Point, dueDay: number, frame: Frame): Plot {
  const end = Math.max(1, now.day, dueDay, ...curve.map(({ day }) => day));
  const lowest = Math.min(RETENTION, now.chance, ...curve.map(({ chance }) => chance));
  // A step of air under the curve, and never so little that a fall of a percent looks like a cliff.
  const floor = Math.max(0, Math.min(0.7, Math.floor(lowest * 10 - 0.5) / 10));
  const x = (day: number) => frame.left + (Math.min(Math.max(day, 0), end) / end) * (frame.right - frame.left);
  const y = (chance: number) =>
    frame.bottom - ((Math.max(chance, floor) - floor) / (1 - floor)) * (frame.bottom - frame.top);
  const step = STEPS.find((each) => end / each <= MAX_TICKS) ?? Math.ceil(end / MAX_TICKS);
  return {
    x,
    y,
    path: `M${curve.map(({ day, chance }) => `${x(day).toFixed(1)} ${y(chance).toFixed(1)}`).join("L")}`,
    days: Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step),
    chances: [1, RETENTION, ...(floor < 0.6 ? [(1 + floor) / 2] : []), floor].filter(
      (chance, index, all) => all.indexOf(chance) === index,
    ),
  };
}

/** The chance on a day, read off the curve; undefined beyond its ends. */
export function chanceOn(curve: readonly Point[], day: number): number | undefined {
  const next = curve.findIndex((point) => point.day >= day);
  const after = curve[next];
  if (!after) return undefined;
  const before = curve[next - 1];
  if (!before || after.day === before.day) return after.day === day ? after.chance : undefined;
  const part = (day - before.day) / (after.day - before.day);
  return before.chance + part * (after.chance - before.chance);
}
