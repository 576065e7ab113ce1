/** Colours of code as the classes of base.css, so that the editor and the statement look alike. */

import { syntaxHighlighting } from "@codemirror/language";
import { tagHighlighter, tags } from "@lezer/highlight";

export const highlight = syntaxHighlighting(
  tagHighlighter([
    { tag: [tags.keyword, tags.bool, tags.null, tags.self, tags.modifier, tags.processingInstruction], class: "k" },
    { tag: [tags.definition(tags.function(tags.variableName)), tags.function(tags.variableName)], class: "fn" },
    { tag: [tags.function(tags.propertyName), tags.definition(tags.className), tags.typeName], class: "fn" },
    { tag: [tags.string, tags.character, tags.special(tags.string), tags.escape], class: "s" },
    { tag: tags.number, class: "n" },
    { tag: tags.comment, class: "c" },
  ]),
);
