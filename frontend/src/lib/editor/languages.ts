/** The languages that a problem is solved in. */

export type EditorLanguage = "python" | "cpp" | "text";

/** The language of a kind of problem. */
export function languageOf(kind: string): EditorLanguage {
  return kind === "cpp" || kind === "cuda" ? "cpp" : "python";
}
