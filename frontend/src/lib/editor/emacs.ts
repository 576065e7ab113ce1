/** Emacs's keys; Ctrl X Ctrl S saves the draft. */

import type { Extension } from "@codemirror/state";
import { emacs, EmacsHandler } from "@replit/codemirror-emacs";

import { pageActions } from "./page_actions";

EmacsHandler.addCommands({
  saveDraft: (handler: EmacsHandler) => handler.view.state.facet(pageActions)("save"),
});
EmacsHandler.bindKey("C-x C-s", "saveDraft");

export const emacsKeys: Extension = emacs();
