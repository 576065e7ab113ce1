/** What the page does when it is asked to by a key: of its own, of Vim or of Emacs. */

import { Facet } from "@codemirror/state";

import type { Action } from "./shortcuts";

export const pageActions = Facet.define<(action: Action) => void, (action: Action) => void>({
  combine: (given) => given[0] ?? (() => {}),
});
