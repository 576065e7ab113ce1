/** Positions of marked lines, which follow the lines through edits. */

import { type ChangeDesc, type Line, MapMode } from "@codemirror/state";

/** At the first letter of a line, so that a line broken before it takes the mark along. */
export function firstLetter({ from, text }: Line): number {
  return from + (text.length - text.trimStart().length);
}

/** Move what is placed along with a change; what stood in a deleted line is left out. */
export function follow<T extends { readonly pos: number }>(placed: readonly T[], changes: ChangeDesc): readonly T[] {
  return placed.flatMap((each) => {
    const pos = changes.mapPos(each.pos, 1, MapMode.TrackDel);
    return pos === null ? [] : [{ ...each, pos }];
  });
}
