/** The smallest single change that turns one text into another, so that the cursor stays where it is. */

export type Change = { from: number; to: number; insert: string };

export function changeBetween(before: string, after: string): Change | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
}

/** The place in another text after as many letters that are no space: where a formatted text goes on. */
export function placeIn(before: string, after: string, at: number): number {
  let letters = before.slice(0, at).replace(/\s/g, "").length;
  let place = 0;
  while (letters > 0 && place < after.length) if (/\S/.test(after[place++]!)) letters--;
  return place;
}

/** The text as the editor holds it: a file may end its lines otherwise. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
