/** Where the marks of the verdict strip stand: cases from left to right, error over tolerance upwards. */

import type { CaseResult, Plan, Report } from "$lib/types";

export type Fate = "pass" | "fail" | "pending";
/** A case, or a whole group where there are too many cases to draw each. */
export type Mark = {
  readonly x: number;
  readonly fate: Fate;
  readonly group: string;
  /** The cases it stands for. */
  readonly cases: readonly CaseResult[];
  /** How many were planned. */
  readonly planned: number;
  /** The largest error; null where nothing is measured. */
  readonly ratio: number | "inf" | null;
  readonly median: number | "inf" | null;
  /** The process ended in this case, so that it has no result of its own. */
  readonly isDeath: boolean;
};
export type Span = { readonly group: string; readonly from: number; readonly to: number; readonly row: number };
type Place = Omit<Span, "row">;
export type Tick = { readonly y: number; readonly power: number };
export type Strip = {
  readonly width: number;
  readonly height: number;
  readonly marks: readonly Mark[];
  readonly spans: readonly Span[];
  readonly ticks: readonly Tick[];
  readonly isBinned: boolean;
  /** The height of 1×, and that of exact zeros. */
  readonly line: number;
  readonly floor: number;
  readonly base: number;
  /** Half the width of a mark's box. */
  readonly reach: number;
  readonly y: (ratio: number | "inf" | null) => number;
};

type Scale = Pick<Strip, "y" | "line" | "floor" | "base" | "ticks">;

/** How high a mark stands; a failure whose numbers are within the tolerance was not measured by them. */
export function heightOf(mark: Mark, strip: Strip): number {
  return mark.fate === "fail" && !isMeasured(mark) ? strip.floor + 1 : strip.y(mark.ratio);
}

export function isMeasured({ ratio }: Mark): boolean {
  return ratio === "inf" || (ratio !== null && ratio > 1);
}

const LEFT = 44;
/** Room for the sign of infinity above the highest mark, and for the box around both. */
const TOP = 20;
const ABOVE = 68;
const BELOW = 64;
const BELOW_ALONE = 94;
/** What is below a thousandth of the tolerance is drawn at a thousandth. */
const LEAST_POWER = -3;
const MAX_CASES = 40;
const MIN_PITCH = 7;
const MAX_PITCH = 41;
const MAX_BIN = 64;
const LABEL_ROW = 14;

type Slot = { readonly group: string; readonly cases: readonly (CaseResult | undefined)[] };

/** Lay the strip out for a width in pixels. `name` gives the words of a group. */
export function layStrip(
  plan: Plan,
  cases: readonly CaseResult[],
  report: Report | undefined,
  width: number,
  name: (group: string) => string,
): Strip {
  const slots = slotsOf(plan, cases);
  const count = slots.reduce((sum, slot) => sum + slot.cases.length, 0);
  const room = width - LEFT;
  const gap = room > 480 ? 18 : 8;
  const pitchOf = (units: number) => (room - gap * slots.length) / Math.max(1, units);
  const isBinned = count > MAX_CASES || pitchOf(count) < MIN_PITCH;
  const units = isBinned ? slots.length : count;
  const pitch = Math.min(pitchOf(units), isBinned ? MAX_BIN : MAX_PITCH);
  const death = deathOf(report, slots);

  const marks: Mark[] = [];
  const spans: Place[] = [];
  let x = LEFT + gap / 2;
  for (const slot of slots) {
    const from = x;
    const groups = isBinned ? [slot.cases] : slot.cases.map((each) => [each]);
    for (const [at, group] of groups.entries()) {
      const isDeath = death?.group === slot.group && (isBinned || death.at === at);
      marks.push(markOf(slot.group, group, x + pitch / 2, isDeath));
      x += pitch;
    }
    spans.push({ group: slot.group, from, to: x });
    x += gap;
  }
  const rows = spans.some((span, at) => overlaps(spans[at - 1], span, name)) ? 2 : 1;
  const scale = scaleOf(marks, report);
  return {
    ...scale,
    ...{ width, marks, isBinned, reach: Math.min(9, pitch / 2) },
    height: scale.base + 26 + LABEL_ROW * (rows - 1),
    spans: spans.map((span, at) => ({ ...span, row: at % rows })),
  };
}

function slotsOf(plan: Plan, cases: readonly CaseResult[]): Slot[] {
  const came = [...new Set(cases.map((each) => each.group))];
  const groups = plan.length ? plan : came.map((group) => [group, 0] as const);
  return groups.map(([group, planned]) => {
    const came = cases.filter((each) => each.group === group);
    const missing = Math.max(0, planned - came.length);
    return { group, cases: [...came, ...Array<undefined>(missing).fill(undefined)] };
  });
}

/** The process ended in the first case without a result, when no case of that group explains the verdict. */
function deathOf(report: Report | undefined, slots: readonly Slot[]): { group: string; at: number } | undefined {
  if (!report || report.verdict === "AC" || report.group === null) return undefined;
  const slot = slots.find((each) => each.group === report.group);
  const at = slot?.cases.findIndex((each) => each === undefined) ?? -1;
  const isExplained = slot?.cases.some((each) => each && each.code !== "AC");
  return slot && at >= 0 && !isExplained ? { group: slot.group, at } : undefined;
}

function markOf(group: string, cases: Slot["cases"], x: number, isDeath: boolean): Mark {
  const came = cases.filter((each) => each !== undefined);
  const measured = came.map((each) => numberOf(each.ratio)).filter((size) => size !== null);
  const sizes = measured.sort((a, b) => a - b);
  const hasFailed = isDeath || came.some((each) => each.code !== "AC");
  const fate = hasFailed ? "fail" : came.length ? "pass" : "pending";
  const ratio = ratioOf(sizes.at(-1));
  const median = ratioOf(sizes[Math.floor((sizes.length - 1) / 2)]);
  return { x, fate, group, cases: came, planned: cases.length, ratio, median, isDeath };
}

const numberOf = (ratio: CaseResult["ratio"]): number | null => (ratio === "inf" ? Infinity : ratio);
const ratioOf = (size: number | undefined): Mark["ratio"] =>
  size === undefined ? null : Number.isFinite(size) ? size : "inf";

function overlaps(left: Place | undefined, right: Place, name: (group: string) => string): boolean {
  if (!left) return false;
  const half = (span: Place) => widthOf(name(span.group)) / 2;
  return (right.from + right.to - left.from - left.to) / 2 < half(left) + half(right) + 6;
}

/** About as wide as the text is at 11 px. */
function widthOf(text: string): number {
  return [...text].reduce((sum, char) => sum + (char.charCodeAt(0) > 0x2e80 ? 11 : 6), 0);
}

/** Above 1× and below it the scale differs, so that the margin of what passes can be read beside any error. */
function scaleOf(marks: readonly Mark[], report: Report | undefined): Scale {
  const sizes = marks.map((mark) => numberOf(mark.ratio)).filter((size) => size !== null && size > 0) as number[];
  // While cases arrive the layout must not jump, so the room above is there from the beginning.
  const hasAbove = report?.verdict !== "AC";
  const finite = sizes.filter(Number.isFinite).map(Math.log10);
  const top = Math.max(6, 6 * Math.ceil(Math.max(0, ...finite) / 6));
  const line = hasAbove ? TOP + ABOVE : TOP + 8;
  const below = hasAbove ? BELOW : BELOW_ALONE;
  const base = line + below;
  const floor = base - 6;
  const step = (floor - 8 - line) / -LEAST_POWER;
  const y = (ratio: Mark["ratio"]) => {
    if (ratio === null || ratio === 0) return floor;
    if (ratio === "inf") return TOP;
    const power = Math.log10(ratio);
    return power >= 0 ? line - (power / top) * ABOVE : line - Math.max(power, LEAST_POWER) * step;
  };
  const high = hasAbove ? [top, top / 2] : [];
  const ticks = [...high, -1, -2].map((power) => ({ power, y: y(10 ** power) }));
  return { y, line, floor, base, ticks };
}
