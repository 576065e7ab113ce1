/** Characters that are not seen but change how a text is read, such as those of direction: shown by number. */

import type { Extension } from "@codemirror/state";
import { highlightSpecialChars } from "@codemirror/view";

// CodeMirror knows the others; embeddings, their end, and the isolate of the first strong letter are missing there.
const MORE = /[\u202a-\u202c\u2060-\u2064\u2068]/;

/** Show each by its number; a screen reader says a word before it. */
export const showControls = (word: string): Extension =>
  highlightSpecialChars({
    addSpecialChars: MORE,
    render(code) {
      const mark = document.createElement("span");
      mark.textContent = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      mark.title = `${word} ${mark.textContent}`;
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", mark.title);
      mark.className = "cm-control";
      return mark;
    },
  });
