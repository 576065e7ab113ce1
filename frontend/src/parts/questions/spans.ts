/** An answer cut where spans begin and end, so that each piece can say what it counted for. */

export type Span = { readonly start: number; readonly end: number; readonly isWrong: boolean };
export type Cut = { readonly text: string; readonly kind: "plain" | "found" | "wrong" };

/** Cut a text; spans count characters as Python does, not the units of a JavaScript string. */
export function cut(text: string, spans: readonly Span[]): Cut[] {
  const characters = Array.from(text);
  const places = new Set([0, characters.length, ...spans.flatMap((span) => [span.start, span.end])]);
  const order = [...places].filter((place) => place <= characters.length).sort((a, b) => a - b);
  return order.slice(0, -1).map((start, index) => {
    const end = order[index + 1] ?? characters.length;
    const own = spans.filter((span) => span.start <= start && span.end >= end);
    const kind = own.some((span) => span.isWrong) ? "wrong" : own.length ? "found" : "plain";
    return { text: characters.slice(start, end).join(""), kind };
  });
}
