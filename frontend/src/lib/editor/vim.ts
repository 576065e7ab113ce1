/** Vim's keys; `:w` saves the draft. */

import type { Extension } from "@codemirror/state";
import { Vim, vim } from "@replit/codemirror-vim";

import { pageActions } from "./page_actions";

type Holder = { cm6: { state: { facet: (facet: typeof pageActions) => (action: "save") => void } } };

Vim.defineEx("write", "w", (cm: unknown) => (cm as Holder).cm6.state.facet(pageActions)("save"));

export const vimKeys: Extension = vim({ status: true });
