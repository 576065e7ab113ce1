/** The shortcuts of the editor; the same in the plain text area that stands there until the editor is ready. */

import type { EditorKeys } from "../preferences.svelte";

export type Action = "submit" | "run" | "save";

/** Name what a key asks for; null when it is for the editor or the browser. */
export function actionOf(event: KeyboardEvent, keys: EditorKeys): Action | null {
  // While a word is composed every key belongs to the input method; 229 is how Safari says so.
  if (event.isComposing || event.keyCode === 229) return null;
  if (event.altKey || !(event.ctrlKey || event.metaKey)) return null;
  if (event.key === "Enter") return event.shiftKey ? "run" : "submit";
  if (event.shiftKey) return null;
  if (event.key === "'" || event.code === "Quote") return "run";
  // Ctrl S searches in Emacs; there Ctrl X Ctrl S saves.
  if (event.key.toLowerCase() === "s" && !(keys === "emacs" && event.ctrlKey)) return "save";
  return null;
}
