/** What of the Emacs keys a bundler would break, and what it would bring along unused. */

import type { Plugin } from "vite";

// The package marks the calls that make its keys work as pure, so they would be dropped; and it asks for completion,
// which this editor does not have, so all of that would come with the editor.
export function emacsKeys(): Plugin {
  const asked = "import { completionStatus, startCompletion } from '@codemirror/autocomplete';";
  const answered = "const completionStatus = () => null, startCompletion = () => false;";
  return {
    name: "emacs-keys",
    transform: {
      filter: { id: /@replit\/codemirror-emacs\// },
      handler(code) {
        if (!code.includes(asked)) this.error("@replit/codemirror-emacs has changed: look at emacs.ts.");
        return code.replaceAll("/*@__PURE__*/EmacsHandler", "EmacsHandler").replace(asked, answered);
      },
    },
  };
}
