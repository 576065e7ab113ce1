/** The languages that a problem is solved in. */

export type EditorLanguage = "python" | "cpp" | "toml" | "text";

/** The language of a kind of problem. */
export function languageOf(kind: string): EditorLanguage {
  if (kind === "package") return "text";
  return kind === "cpp" || kind === "cuda" ? "cpp" : "python";
}

/** Whether something is built before a submission is judged, so that no expression of Python can be tried on it. */
export function isBuilt(kind: string): boolean {
  return kind === "operator" || languageOf(kind) !== "python";
}
