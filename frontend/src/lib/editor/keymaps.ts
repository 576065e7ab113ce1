/** The keys of the editor: those of the page first, then Vim's or Emacs's when chosen, then the common ones. */

import { closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, historyKeymap, indentWithTab } from "@codemirror/commands";
import { searchKeymap } from "@codemirror/search";
import { type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

import type { EditorKeys } from "../preferences.svelte";
import { pageActions } from "./page_actions";
import { actionOf } from "./shortcuts";

// After Esc, Tab leaves until another key is pressed; CodeMirror alone would wait two seconds only.
const ESCAPED_MS = 600_000;

export const commonKeys: Extension = [
  EditorView.domEventHandlers({
    keyup(event, view) {
      if (event.key === "Escape") view.setTabFocusMode(ESCAPED_MS);
    },
    blur: (_, view) => view.setTabFocusMode(false),
  }),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
];

/** The shortcuts of the page, before any key of an editor's fashion. */
export function pageKeys(keys: EditorKeys): Extension {
  return Prec.highest(
    EditorView.domEventHandlers({
      keydown(event, view) {
        const action = view.composing ? null : actionOf(event, keys);
        if (action === null) return false;
        // A key held down asks once.
        if (!event.repeat) view.state.facet(pageActions)(action);
        return true;
      },
    }),
  );
}

/** Load Vim's or Emacs's keys; nothing for the default ones. */
export async function loadKeys(keys: EditorKeys): Promise<Extension> {
  if (keys === "vim") return (await import("./vim")).vimKeys;
  if (keys === "emacs") return (await import("./emacs")).emacsKeys;
  return [];
}
