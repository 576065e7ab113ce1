/** The languages that a problem is solved in. */

export type EditorLanguage = "python" | "cpp" | "text";

/** The language of a kind of problem. */
export function languageOf(kind: string): EditorLanguage {
  if (kind === "package") return "text";
  return kind === "cpp" || kind === "cuda" ? "cpp" : "python";
}

/** Whether a submission is built before it is judged, so that no expression of Python speaks to it. */
export function isBuilt(kind: string): boolean {
  return languageOf(kind) !== "python";
}
