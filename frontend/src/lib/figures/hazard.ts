/** What the figure of a detector finding shows, from the numbers of the report. */

import { said, t } from "$lib/i18n";
import type { Hazard, HazardParty, VerdictCode } from "$lib/types";

const FIGURES: Partial<Record<VerdictCode, readonly Hazard["figure"][]>> = {
  RACE: ["race", "barrier"],
  OOB: ["bounds"],
  UNINIT: ["unwritten"],
};

/** The finding that the verdict comes from: the first one of its kind. */
export function mainHazard(hazards: readonly Hazard[], verdict: VerdictCode): Hazard | undefined {
  return hazards.find(({ figure }) => FIGURES[verdict]?.includes(figure)) ?? hazards[0];
}

/** A place of a thread or a block, without directions in which there is only one. */
export function triple(place: readonly number[], size: readonly number[] = []): string {
  const last = [place[2] || (size[2] ?? 0) > 1, place[1] || (size[1] ?? 0) > 1].findIndex(Boolean);
  return `(${place.slice(0, last < 0 ? 1 : 3 - last).join(", ")})`;
}

/** Name the array, or the memory where its name is not known. */
export function arrayName({ array, space }: Hazard): string {
  return array || (t.cuda.unnamed[space] ?? t.cuda.memory);
}

/** Name the element: `a[3][0]`, or the array and the offset in bytes. */
export function elementName(hazard: Hazard): string {
  const { array, index, offset } = hazard;
  const name = arrayName(hazard);
  if (index.length > 0 && !array) return t.cuda.elementOf(index.join(", "), name);
  if (index.length > 0) return `${name}${index.map((each) => `[${each}]`).join("")}`;
  return offset < 0 ? `${name} − ${t.cuda.bytes(-offset)}` : `${name} + ${t.cuda.bytes(offset)}`;
}

// Of the 12 px of a figure's letters, at most; a Chinese character is twice as wide.
const LETTER = 7.3;

/** How wide a label is at most. */
export function labelWidth(text: string): number {
  return LETTER * Array.from(text).reduce((sum, letter) => sum + (/[\u2e80-\uffef]/.test(letter) ? 2 : 1), 0);
}

/** Where a label begins that stays inside a figure. */
export function labelStart(text: string, start: number, width: number): number {
  return Math.max(Math.min(start, width - labelWidth(text)), 0);
}

/** The middle of a label that stays between two places. */
export function labelMiddle(text: string, middle: number, most: number, least = 0): number {
  const half = labelWidth(text) / 2;
  return Math.max(Math.min(middle, most - half), least + half);
}

/** Say how large the array is. */
export function extentName({ shape, allocation_bytes: size }: Hazard): string {
  return shape.length > 0 ? t.cuda.elements(shape.reduce((all, each) => all * each, 1)) : t.cuda.bytes(size);
}

/** Name a thread beside another one: by its warp, or by its block where the blocks differ. */
export function who(party: HazardParty, { other, at }: Hazard): string {
  const isFar = other !== null && triple(other.block) !== triple(at.block);
  return isFar ? t.cuda.block(triple(party.block)) : t.cuda.warp(party.warp);
}

/** The access in the pass of a loop after that of the other; null if there is no such pass. */
export function laterPass({ at, other, missing }: Hazard): HazardParty | null {
  if (!missing || !other || at.line === null || other.line === null || at.line === other.line) return null;
  if (missing.line <= Math.max(at.line, other.line)) return null;
  return at.line < other.line ? at : other;
}

/** A line of the program and what is said of it. */
export type Role = { readonly line: number; readonly letter: string; readonly words: string };

/** The lines of a finding, each with the letter of its mark. */
export function rolesOf(hazard: Hazard): readonly Role[] {
  const { at, other, left } = hazard;
  const roles: Role[] = [];
  const add = (line: number | null, letter: string, words: string): void => {
    if (line !== null) roles.push({ line, letter, words });
  };
  if (hazard.figure === "barrier" && hazard.arrived.length === 0) {
    for (const party of other ? [at, other] : [at]) add(party.line, "!", said(hazard.hint));
    return roles;
  }
  if (hazard.figure === "barrier") {
    add(at.line, "B", t.cuda.access(t.cuda.warp(at.warp), t.cuda.waiting, ""));
    if (other) add(other.line, "B", t.cuda.access(t.cuda.warp(other.warp), t.cuda.waiting, ""));
    add(left, "X", t.cuda.leaves);
    return roles;
  }
  for (const party of other ? [at, other] : [at]) {
    const does = party.is_write ? t.cuda.writes : t.cuda.reads;
    const words = t.cuda.access(`${who(party, hazard)} ${triple(party.thread, hazard.size)} `, does, elementName(hazard));
    add(party.line, party.is_write ? "W" : "R", words.replace(/ {2,}/g, " "));
  }
  return roles;
}

/** Lanes of a mask as ranges: `0–3, 7`. */
export function lanesOf(mask: number, count: number): string {
  const ranges: string[] = [];
  for (let lane = 0; lane < count; lane++) {
    if (!((mask >>> lane) & 1)) continue;
    const from = lane;
    while (lane + 1 < count && (mask >>> (lane + 1)) & 1) lane++;
    ranges.push(from === lane ? `${from}` : `${from}–${lane}`);
  }
  return ranges.join(", ");
}

/** Neighbouring warps with the same lanes at the barrier. */
export type WarpRow = { readonly from: number; readonly to: number; readonly mask: number; readonly count: number };

export function warpRows({ arrived, size }: Hazard): readonly WarpRow[] {
  const threads = size.reduce((all, each) => all * each, 1) || 32 * arrived.length;
  const rows: WarpRow[] = [];
  arrived.forEach((mask, warp) => {
    const count = Math.min(32, threads - 32 * warp);
    const last = rows.at(-1);
    if (last?.mask === mask && last.count === count) rows[rows.length - 1] = { ...last, to: warp };
    else rows.push({ from: warp, to: warp, mask, count });
  });
  return rows;
}
