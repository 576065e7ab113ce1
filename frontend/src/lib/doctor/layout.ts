/** Where the rows of a timeline are, and what is drawn in them. */

import type { Picture, TrackHead } from "../types";

const [ACCOUNT, DEVICE, CALL, GAP, TOP] = [48, 20, 16, 10, 24];

export type Row = {
  readonly track: number;
  readonly y: number;
  readonly height: number;
  /** Whether a lane begins here, so that its name is beside it. */
  readonly isFirst: boolean;
  readonly isAccount: boolean;
};

export class Layout {
  readonly rows: readonly Row[];
  readonly height: number;
  readonly top = TOP;

  constructor(
    tracks: readonly TrackHead[],
    readonly left: number,
    readonly width: number,
  ) {
    let y = TOP;
    this.rows = tracks.map((each, track) => {
      const before = tracks[track - 1];
      const isFirst = !before || before.group !== each.group || before.pid !== each.pid || before.tid !== each.tid;
      if (isFirst && track) y += GAP;
      const height = each.group === "account" ? ACCOUNT : each.group === "device" ? DEVICE : CALL;
      const row = { track, y, height, isFirst, isAccount: each.group === "account" };
      y += height;
      return row;
    });
    this.height = y + 4;
  }

  /** The width of the plot without the names. */
  get room(): number {
    return Math.max(this.width - this.left, 1);
  }

  rowAt(y: number): Row | undefined {
    return this.rows.find((row) => y >= row.y && y < row.y + row.height);
  }
}

export type Colours = {
  /** Of what a moment is charged to. */
  readonly classes: readonly string[];
  /** Of what an event is. */
  readonly events: readonly string[];
  readonly ink: string;
  readonly ink2: string;
  readonly hair: string;
  readonly rule: string;
  readonly paper: string;
  readonly font: string;
};

/** What a mark is cut to at the borders of the plot, so that numbers stay small. */
function clip(value: number, from: number, to: number): number {
  return value < from ? from : value > to ? to : value;
}

/** Draw a picture as far as it is in what is shown; it may be of a larger or another time. */
export function paint(
  context: CanvasRenderingContext2D,
  picture: Picture,
  layout: Layout,
  span: { readonly begin: number; readonly end: number },
  colours: Colours,
  stackLevels: number,
): void {
  const { left, room } = layout;
  const scale = room / (span.end - span.begin);
  const x = (moment: number) => left + (moment - span.begin) * scale;
  const column = ((picture.end - picture.begin) / picture.columns) * scale;
  const zero = x(picture.begin);
  context.save();
  context.beginPath();
  context.rect(left, 0, room, layout.height);
  context.clip();
  context.font = colours.font;
  context.textBaseline = "middle";
  layout.rows.forEach((row) => {
    const drawn = picture.rows[row.track];
    if (!drawn) return;
    const height = row.height - 1;
    const box = (from: number, to: number, top: number, size: number) => {
      const first = clip(from, left, left + room);
      const last = clip(to, left, left + room);
      if (last > first) context.fillRect(first, top, Math.max(last - first, 0.5), size);
      return last - first;
    };
    const { runs, stacks, wide } = drawn;
    const fills = row.isAccount ? colours.classes : colours.events;
    for (let at = 0; at < runs.length; at += 4) {
      const from = zero + runs[at]! * column;
      context.fillStyle = fills[runs[at + 2]!]!;
      const size = Math.max(2, (height * runs[at + 3]!) / 8);
      box(from, from + runs[at + 1]! * column, row.y + height - size, size);
    }
    for (let at = 0; at < stacks.length; ) {
      const from = zero + stacks[at]! * column;
      const to = from + stacks[at + 1]! * column;
      const last = at + 3 + 2 * stacks[at + 2]!;
      let bottom = row.y + height;
      for (at += 3; at < last; at += 2) {
        const size = (height * stacks[at + 1]!) / stackLevels;
        context.fillStyle = fills[stacks[at]!]!;
        box(from, to, bottom - size, size);
        bottom -= size;
      }
    }
    for (let at = 0; at < wide.length; at += 4) {
      const from = x(wide[at]!);
      const to = x(wide[at + 1]!);
      if (to < left || from > left + room) continue;
      context.fillStyle = fills[wide[at + 2]!]!;
      const seen = box(from, to - Math.min(1, (to - from) / 4), row.y, height);
      const name = picture.names[wide[at + 3]!];
      if (name && seen > 36) {
        const begin = Math.max(from, left) + 4;
        const letters = Math.floor((seen - 8) / 6.2);
        context.fillStyle = colours.ink;
        context.fillText(name.length > letters ? `${name.slice(0, letters - 1)}…` : name, begin, row.y + height / 2 + 0.5);
      }
    }
  });
  context.restore();
}
