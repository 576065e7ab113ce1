/** Where the events of a timeline are drawn, and what is said about one of them. */

import type { SimulatedCollective, SimulatedTimeline, SimulatedWait } from "../types";

// A figure with more is none.
const MOST_DRAWN = 400;
const [LEFT, RIGHT, LANE, GAP, TOP, FOOT] = [64, 16, 24, 14, 8, 28];
// What a bar needs for its number, and what a letter takes.
const [BAR, LETTER] = [30, 7];

export type Bar = { x: number; y: number; width: number; height: number; words: string };
export type Wait = { x: number; y: number; end: number };
export type Drawn = { readonly index: number; readonly op: string; readonly bars: readonly Bar[]; readonly waits: readonly Wait[] };
/** A rank waits for another one, or for bytes. */
export type Idle = Wait & { words: string; isForRank: boolean };

export class Plot {
  readonly drawn: readonly Drawn[];
  readonly ops: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly end: number;
  readonly bottom: number;
  readonly spans: readonly (Bar & { isBackward: boolean })[];
  readonly idle: readonly Idle[];
  readonly row: number;
  readonly left = LEFT;
  readonly isCut: boolean;
  #axes: string[];

  constructor(timeline: SimulatedTimeline, room: number, sayBytes: (size: number) => string, sayWait: (rank: number) => string) {
    const shown = timeline.collectives.slice(0, MOST_DRAWN);
    this.isCut = shown.length < timeline.collectives.length;
    this.ops = [...new Set(shown.map((each) => each.op))];
    this.#axes = [...new Set(shown.map((each) => each.axis))];
    const isKnown = knowsWaits(timeline);
    if (isKnown) this.#axes.unshift("");
    this.width = Math.max(room, 480, LEFT + RIGHT + shown.length * BAR);
    this.row = Math.max(1, this.#axes.length) * LANE + GAP;
    this.bottom = TOP + timeline.num_ranks * this.row;
    this.height = this.bottom + FOOT;
    this.end = this.isCut ? Math.max(...shown.flatMap((each) => each.end_s)) : timeline.end_s;
    this.drawn = shown.map((each, index) => this.#place(each, index, sayBytes, isKnown));
    const isIn = (each: { start_s: number }) => each.start_s < this.end;
    this.spans = timeline.compute.filter(isIn).map(({ rank, start_s, end_s, label }) => {
      const bar = this.#bar(rank, "", start_s, Math.min(end_s, this.end));
      return { ...bar, words: fit(bar.width, label), isBackward: label.startsWith("B") };
    });
    this.idle = timeline.waits.filter(isIn).map(({ rank, start_s, end_s, last }) => {
      const { x, y, width } = this.#bar(rank, "", start_s, Math.min(end_s, this.end));
      const words = last === null ? "" : fit(width, sayWait(last), `→${last}`);
      return { x, y, end: x + width, words, isForRank: last !== null };
    });
  }

  x(seconds: number): number {
    return LEFT + (this.end > 0 ? ((this.width - LEFT - RIGHT) * seconds) / this.end : 0);
  }

  y(rank: number, lane = 0): number {
    return TOP + GAP / 2 + rank * this.row + lane * LANE;
  }

  #bar(rank: number, axis: string, begin: number, end: number): Omit<Bar, "words"> {
    const x = this.x(begin);
    return { x, y: this.y(rank, this.#axes.indexOf(axis)), width: Math.max(this.x(end) - x - 1, 1), height: LANE - 4 };
  }

  #place(each: SimulatedCollective, index: number, sayBytes: (size: number) => string, isKnown: boolean): Drawn {
    const bars = each.ranks.map((rank, at) => {
      const bar = this.#bar(rank, each.axis, each.begin_s[at]!, each.end_s[at]!);
      const name = `#${each.number}`;
      // Who receives a message sends nothing.
      const size = each.bytes_sent[at]! > 0 ? ` · ${sayBytes(each.bytes_sent[at]!)}` : "";
      const label = each.label && ` ${each.label}`;
      return { ...bar, words: fit(bar.width, name + label + size, name + size, name) };
    });
    // Where the ranks have a line of their own, it has their waits.
    const waits = bars.flatMap(({ x, y }, at) => {
      const start = this.x(each.launched_s[at]!);
      return !isKnown && x - start > 1 ? [{ x: start, y: y + LANE / 2 - 2, end: x }] : [];
    });
    return { index, op: each.op, bars, waits };
  }
}

/** The longest of some words that a bar has room for. */
function fit(width: number, ...choices: string[]): string {
  return choices.find((words) => LETTER * words.length + 10 <= width) ?? "";
}

export const beginOf = (each: SimulatedCollective) => Math.min(...each.begin_s);
export const endOf = (each: SimulatedCollective) => Math.max(...each.end_s);
export const bytesOf = (each: SimulatedCollective) => Math.max(...each.bytes_sent);
/** How long the first rank waits for the last one. */
export const waitOf = (each: SimulatedCollective) => Math.max(...each.launched_s) - Math.min(...each.launched_s);
/** How long nothing but the queue keeps it waiting. */
export const queueOf = (each: SimulatedCollective) => Math.max(0, beginOf(each) - Math.max(...each.launched_s));

/** Whether a simulated clock says what the ranks do: without one they take turns. */
export const knowsWaits = (timeline: SimulatedTimeline) => timeline.waits.length + timeline.compute.length > 0;

/** The ranks of an exchange; those of a message with its sender first. */
export function pathOf({ op, ranks, bytes_sent }: SimulatedCollective): readonly number[] {
  return op === "send" && ranks.length === 2 && bytes_sent[1]! > 0 ? [ranks[1]!, ranks[0]!] : ranks;
}

type Place = Pick<SimulatedWait, "op" | "axis" | "number" | "ranks">;
const keyOf = ({ op, axis, number, ranks }: Place) => `${op} ${axis} ${number} ${ranks.join()}`;

/** The waits of each exchange. */
export class Waits {
  #found = new Map<string, SimulatedWait[]>();

  constructor(timeline: SimulatedTimeline) {
    for (const each of timeline.waits) {
      const key = keyOf(each);
      this.#found.set(key, [...(this.#found.get(key) ?? []), each]);
    }
  }

  /** The longest wait for a rank, who waits for it, and the longest one for bytes. */
  of(collective: SimulatedCollective): { last: number | undefined; ranks: readonly number[]; rank_s: number; bytes_s: number } {
    const all = this.#found.get(keyOf({ ...collective, ranks: pathOf(collective) })) ?? [];
    const lengths = (some: readonly SimulatedWait[]) => Math.max(0, ...some.map((each) => each.end_s - each.start_s));
    const forRank = all.filter((each) => each.last !== null);
    const forBytes = all.filter((each) => each.last === null);
    return { last: forRank[0]?.last ?? undefined, ranks: forRank.map((each) => each.rank), rank_s: lengths(forRank), bytes_s: lengths(forBytes) };
  }
}

/** The seconds of each rank: computing, waiting for others, waiting for bytes. */
export function sums(timeline: SimulatedTimeline): readonly { compute: number; ranks: number; bytes: number }[] {
  const all = Array.from({ length: timeline.num_ranks }, () => ({ compute: 0, ranks: 0, bytes: 0 }));
  for (const { rank, start_s, end_s } of timeline.compute) all[rank]!.compute += end_s - start_s;
  for (const { rank, start_s, end_s, last } of timeline.waits) all[rank]![last === null ? "bytes" : "ranks"] += end_s - start_s;
  return all;
}
