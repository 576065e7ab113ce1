/** The dispatch tree as rows and columns: time runs down, a column is a key. */

import { lineOf, sayOp, sayTuple, type Item, type Stop } from "./scene";

export type Row = {
  readonly stop: Stop;
  readonly depth: number;
  /** How often the same call follows itself. */
  readonly count: number;
  /** The row of the stop that has called this one. */
  readonly parent: number | undefined;
};

// More take long to draw; the table has them all.
export const MOST_ROWS = 300;
// Found before each factory, and says nothing.
const NOISE = "BackendSelect";

/** List all stops; calls that follow each other and are the same are one. */
export function rowsOf(calls: readonly Stop[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < calls.length; ) {
    const call = calls[at]!;
    const own = signature(call);
    let end = at + 1;
    while (end < calls.length && signature(calls[end]!) === own) end++;
    add(rows, call, 0, end - at, undefined);
    at = end;
  }
  return rows;
}

function add(rows: Row[], stop: Stop, depth: number, count: number, parent: number | undefined): void {
  const at = rows.push({ stop, depth, count, parent }) - 1;
  for (const child of stop.children) add(rows, child, depth + 1, 1, at);
}

function signature(stop: Stop): string {
  const shapes = stop.args.map(({ shape }) => sayTuple(shape)).join();
  return [stop.line, stop.op, stop.key, stop.kernel, stop.raised, shapes, ...stop.children.map(signature)].join(" ");
}

/** The keys that the dispatcher passed over before a stop, by its table. */
export function skippedOf({ skipped }: Stop): readonly string[] {
  return skipped.filter((key) => key !== NOISE);
}

/** The keys of some rows, the one that is asked first on the left; `isSeen`: at least one stop was there. */
export function columnsOf(rows: readonly Row[]): { readonly key: string; readonly isSeen: boolean }[] {
  const places = new Map<string, { sum: number; num: number; isSeen: boolean }>();
  const note = (key: string, depth: number, isSeen: boolean) => {
    const found = places.get(key) ?? { sum: 0, num: 0, isSeen: false };
    places.set(key, { sum: found.sum + depth, num: found.num + 1, isSeen: found.isSeen || isSeen });
  };
  for (const { stop, depth } of rows) {
    note(stop.key, depth, stop.opaque !== "computed");
    // Passed over before the stop, so left of it.
    for (const key of skippedOf(stop)) note(key, depth - 0.5, false);
  }
  const mean = ({ sum, num }: { sum: number; num: number }) => sum / num;
  return [...places].sort(([, one], [, other]) => mean(one) - mean(other)).map(([key, { isSeen }]) => ({ key, isSeen }));
}

type Said = { stop: (op: string, key: string, kernel: string) => string; skipped: (keys: string) => string; computed: string; times: (count: number) => string };

export function itemsOf(rows: readonly Row[], words: Said, glue: string): Item[] {
  return rows.map(({ stop, depth, count }) => {
    const skipped = skippedOf(stop).join(", ");
    const args = stop.args.map(({ name, shape, dtype }) => `${name} ${sayTuple(shape)} ${dtype}`).join("; ");
    const said = [
      words.stop(sayOp(stop.op), stop.key, stop.kernel),
      count > 1 ? words.times(count) : "",
      skipped ? words.skipped(skipped) : "",
      stop.opaque === "computed" ? words.computed : "",
      stop.raised ?? "",
      args,
    ];
    const name = `${"· ".repeat(depth)}${sayOp(stop.op)}${count > 1 ? ` ×${count}` : ""}`;
    return {
      lines: lineOf(stop.line),
      said: said.filter(Boolean).join(glue),
      cells: [name, `${stop.line ?? "–"}`, stop.key, stop.kernel, skipped || "–", args || "–", stop.registered ?? "–"],
    };
  });
}
