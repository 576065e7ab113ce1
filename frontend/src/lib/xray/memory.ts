/** Memory over the events of a program: what lives, and who lives at the peak. */

import { lineOf, sayBytes, sayOp, type Item, type MemoryEvent, type MemoryScene } from "./scene";

export const MOST_ALIVE = 12;

/** The stretches of one phase: forward, backward, step. */
export function phasesOf(events: readonly MemoryEvent[]): { readonly phase: string; readonly begin: number; readonly end: number }[] {
  const found: { phase: string; begin: number; end: number }[] = [];
  events.forEach(({ phase }, at) => {
    const last = found.at(-1);
    if (last?.phase === phase) last.end = at + 1;
    else found.push({ phase, begin: at, end: at + 1 });
  });
  return found;
}

/** The curve as a path of steps, and the middle of each event. */
export function curveOf({ events }: MemoryScene, width: number, height: number, most: number): { readonly path: string; readonly x: (at: number) => number; readonly y: (bytes: number) => number } {
  const step = width / Math.max(1, events.length);
  const y = (bytes: number) => height * (1 - bytes / most);
  const path = events.map(({ now }, at) => `V${y(now).toFixed(1)}H${((at + 1) * step).toFixed(1)}`).join("");
  return { path: `M0 ${height}${path}V${height}`, x: (at) => (at + 0.5) * step, y };
}

type Said = { made: (op: string, bytes: string) => string; freed: (op: string, bytes: string) => string; now: (bytes: string) => string; phase: Readonly<Record<string, string>> };

export function itemsOf({ events }: MemoryScene, words: Said, glue: string): Item[] {
  return events.map(({ i, bytes, now, op, module, phase, line }) => ({
    lines: lineOf(line),
    said: [bytes < 0 ? words.freed(sayOp(op), sayBytes(-bytes)) : words.made(sayOp(op), sayBytes(bytes)), words.now(sayBytes(now)), words.phase[phase] ?? phase].join(glue),
    cells: [`${i}`, `${line ?? "–"}`, sayOp(op), sayBytes(bytes), sayBytes(now), module ?? "–", words.phase[phase] ?? phase],
  }));
}
