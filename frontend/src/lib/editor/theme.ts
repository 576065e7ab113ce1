/** The look of the editor: tokens only, so that it follows the theme of the page. */

import { EditorView } from "@codemirror/view";

const field = {
  background: "var(--paper)",
  color: "inherit",
  border: "1px solid var(--rule)",
  borderRadius: "var(--r-1)",
  font: "inherit",
};

export const theme = EditorView.theme({
  "&": { background: "transparent", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  "&.cm-editor": { flex: "1", minHeight: "0" },
  ".cm-scroller": {
    font: "inherit",
    fontVariantEastAsian: "normal",
    textAutospace: "no-autospace",
    overflow: "auto",
  },
  ".cm-content": { padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 12px 0 0" },
  ".cm-gutters": { background: "var(--surface)", color: "var(--ink3)", border: "none" },
  ".cm-gutter.cm-lineNumbers .cm-gutterElement": { padding: "0 var(--number-gap) 0 0", minWidth: "var(--number-width)" },
  ".cm-activeLine": { background: "color-mix(in srgb, var(--ink) 4%, transparent)" },
  ".cm-activeLineGutter": { background: "transparent", color: "var(--ink)" },
  // Nothing is chosen while the editor is not in use.
  "&:not(.cm-focused) .cm-activeLine": { background: "transparent" },
  "&:not(.cm-focused) .cm-activeLineGutter": { color: "inherit" },
  ".cm-cursor, .cm-dropCursor": { borderLeft: "2px solid var(--ink)", marginLeft: "-1px" },
  "&.cm-editor .cm-fat-cursor": { background: "var(--ink)", color: "var(--surface) !important" },
  "&.cm-editor:not(.cm-focused) .cm-fat-cursor": {
    background: "none",
    outline: "1px solid var(--rule)",
    color: "transparent !important",
  },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--cold) 26%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket, .cm-matchingBracket": {
    background: "transparent",
    boxShadow: "inset 0 -2px var(--ink2)",
  },
  "&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket": {
    background: "transparent",
    boxShadow: "inset 0 -2px var(--wrong)",
  },
  "&.cm-editor .cm-searchMatch": { background: "transparent", outline: "1px solid var(--rule)" },
  "&.cm-editor .cm-searchMatch-selected": { background: "var(--sunk)", outline: "2px solid var(--ink)" },
  ".cm-selectionMatch": { background: "color-mix(in srgb, var(--ink) 9%, transparent)" },

  ".cm-control": {
    border: "1px solid var(--hazard)",
    borderRadius: "var(--r-1)",
    color: "var(--hazard)",
    fontSize: "0.85em",
    padding: "0 2px",
    unicodeBidi: "isolate",
  },

  // The line of an exception, as in the statement of a verdict.
  "& .cm-line.cm-marked": { background: "var(--sunk)", boxShadow: "inset 2px 0 var(--wrong)" },
  ".cm-marked-number": { color: "var(--wrong)", fontWeight: "var(--w-strong)" },
  ".cm-mark-note": {
    background: "var(--sunk)",
    boxShadow: "inset 2px 0 var(--wrong)",
    color: "var(--wrong)",
    font: "var(--t-13)/20px var(--sans)",
    maxHeight: "120px",
    overflow: "auto",
    padding: "0 12px 4px 8px",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  },

  ".cm-panels": { background: "var(--paper)", color: "var(--ink2)", font: "var(--t-13)/20px var(--sans)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--hair)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--hair)" },
  ".cm-panel.cm-search": { padding: "8px 44px 8px 12px", display: "flex", flexWrap: "wrap", gap: "8px", alignItems: "center" },
  ".cm-panel.cm-search br": { flexBasis: "100%", content: '""' },
  ".cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label": { margin: "0" },
  ".cm-panel.cm-search label": { fontSize: "inherit", display: "inline-flex", gap: "6px", alignItems: "center", minHeight: "var(--tap)" },
  "& .cm-textfield": { ...field, minHeight: "var(--tap)", padding: "0 8px", fontSize: "inherit" },
  "& .cm-textfield:focus-visible": { outline: "2px solid var(--ink)", outlineOffset: "0" },
  "& .cm-button": { ...field, backgroundImage: "none", minHeight: "var(--tap)", padding: "0 12px", color: "var(--ink)" },
  "& .cm-button:hover, & .cm-button:active": { background: "var(--sunk)", backgroundImage: "none" },
  ".cm-panel.cm-search [name=close]": { right: "8px", top: "8px", width: "var(--tap)", height: "var(--tap)", fontSize: "20px", color: "inherit" },
  ".cm-gotoLine": { padding: "8px 12px" },
  "&.cm-editor .cm-vim-panel": { background: "inherit", font: "12px/24px var(--mono)", padding: "0 12px" },
  "&.cm-editor .cm-vim-panel input": { background: "inherit", color: "inherit", font: "inherit" },
  "@media (forced-colors: active)": {
    // Drawn by us, so the system does not colour it.
    ".cm-selectionBackground": { background: "Highlight !important", forcedColorAdjust: "none" },
  },
});
