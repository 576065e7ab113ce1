/**
 * Completion from the words of the text and from the names of torch or CUDA.
 *
 * Nothing is chosen until it is asked for: Enter makes a new line and Escape leaves the editor as without a list.
 */

import {
  acceptCompletion, autocompletion, closeCompletion, type Completion, completeAnyWord, type CompletionContext, type CompletionResult,
  completionStatus, currentCompletions, moveCompletionSelection, selectedCompletionIndex, startCompletion,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { type Extension, Prec } from "@codemirror/state";
import { EditorView, tooltips, ViewPlugin, type ViewUpdate } from "@codemirror/view";

import { type Known, namesOf, pathOf, type Sections } from "./known_names";
import type { EditorLanguage } from "./languages";

export type CompletionWords = { readonly count: (count: number) => string };

const IN_PROSE = /comment|string/i;
// Of an expression whose kind is not known; `x.`, `f().` and `a[0].` may be tensors.
const METHODS = ["torch.Tensor"];
const OF_SELF = ["torch.nn.Module"];
const OF_CTX = ["torch.autograd.Function"];
const MIN_LETTERS = 2;
// Signatures up to this length are shown whole in the list.
const WHOLE = 60;

/** Show each name with its signature; the whole of it stands beside the chosen one. */
function option({ name, tail }: Known): Completion {
  const isFunction = tail.startsWith("(");
  const type = isFunction ? "function" : "constant";
  if (name.length + tail.length < WHOLE) return { label: name, detail: tail, type };
  return { label: name, detail: tail, type, info: () => described(name + tail) };
}

function described(text: string): HTMLElement {
  const code = document.createElement("code");
  code.textContent = text;
  return code;
}

/** The sections whose names fit after what stands before the word; empty: only words of the text do. */
export function sectionsFor(before: string, text: string, known: Sections): readonly string[] {
  const path = /((?:\w+(?:\.|::))*\w+|[)\]}"'])\s*(\.|::|->)$/.exec(before);
  // Names without a path: those of CUDA, or of torch after `from torch import`.
  if (!path) return known.has("") ? [""] : /^\s*from +torch +import\b.*$/.test(before.split("\n").at(-1) ?? "") ? ["torch"] : [];
  const [, written = "", mark] = path;
  if (/^\w/.test(written)) {
    const section = pathOf(written, text);
    if (known.has(section)) return [section];
    if (written === "self") return OF_SELF;
    if (written === "ctx") return OF_CTX;
    // A module that is not listed has no methods of tensors.
    const isModule = section !== written || new RegExp(`^[ \\t]*import +${written}\\b`, "m").test(text);
    if (isModule || section.startsWith("torch.") || mark === "::") return [];
  }
  return mark === "." && known.has("torch.Tensor") ? METHODS : [];
}

function sourceOf(language: EditorLanguage) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[A-Za-z_]\w*/);
    const from = word?.from ?? context.pos;
    const { doc } = context.state;
    const before = doc.sliceString(Math.max(0, from - 200), from);
    const isMember = /(\.|::|->)$/.test(before);
    if (!context.explicit) {
      if (!isMember && (word?.text.length ?? 0) < MIN_LETTERS) return null;
      if (!word && !isMember) return null;
      if (/(^|\W)\d+\.$/.test(before) && !word) return null;
      if (IN_PROSE.test(syntaxTree(context.state).resolveInner(context.pos, -1).name)) return null;
    }
    let names: readonly Known[] = [];
    try {
      const known = await namesOf(language);
      names = sectionsFor(before, doc.toString(), known).flatMap((path) => known.get(path) ?? []);
    } catch (error) {
      // The list did not come: the words of the text remain.
      if (!(error instanceof TypeError)) throw error;
    }
    if (context.aborted) return null;
    const listed = new Set(names.map(({ name }) => name));
    const words = isMember && names.length && !before.endsWith("self.") ? [] : await wordsOf(context, from);
    const options = [...names.map(option), ...words.filter(({ label }) => !listed.has(label))];
    return options.length ? { from, options, validFor: /^\w*$/ } : null;
  };
}

async function wordsOf(context: CompletionContext, from: number): Promise<readonly Completion[]> {
  const found = await completeAnyWord(context);
  const here = context.state.sliceDoc(from, context.pos);
  return (found?.options ?? []).filter(({ label }) => label.length > 2 && label !== here && /^[A-Za-z_]\w*$/.test(label));
}

// Vim and Emacs see no key that belongs to an open list; a key of an input method belongs to that.
const keys = Prec.highest(
  EditorView.domEventHandlers({
    keydown(event, view) {
      if (view.composing || event.isComposing || event.keyCode === 229) return false;
      const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
      if (completionStatus(view.state) === null || ctrlKey || altKey || metaKey) return false;
      // Escape closes the list and goes on: to Vim, and to leaving with Tab.
      if (key === "Escape") return closeCompletion(view), false;
      if (completionStatus(view.state) !== "active" || shiftKey) return false;
      const isChosen = (selectedCompletionIndex(view.state) ?? -1) >= 0;
      if (key === "ArrowDown") return moveCompletionSelection(true)(view);
      // Above the first entry the cursor goes up, as without a list.
      if (key === "ArrowUp") return isChosen ? moveCompletionSelection(false)(view) : (closeCompletion(view), false);
      if (key === "PageDown" && isChosen) return moveCompletionSelection(true, "page")(view);
      if (key === "PageUp" && isChosen) return moveCompletionSelection(false, "page")(view);
      if (key === "Enter") return isChosen ? acceptCompletion(view) : (closeCompletion(view), false);
      if (key === "Tab") return (isChosen || moveCompletionSelection(true)(view)) && acceptCompletion(view);
      return false;
    },
  }),
);

/** Say how many there are when a list opens; the chosen entry says itself. */
const announce = (words: CompletionWords) =>
  ViewPlugin.fromClass(
    class {
      update({ state, startState, view }: ViewUpdate): void {
        if (completionStatus(state) !== "active" || completionStatus(startState) === "active") return;
        const said = words.count(currentCompletions(state).length);
        queueMicrotask(() => view.dispatch({ effects: EditorView.announce.of(said) }));
      }
    },
  );

// Behind the keys of Emacs, where Ctrl Space sets the mark.
const ask = Prec.low(
  EditorView.domEventHandlers({
    keydown(event, view) {
      const { code, ctrlKey, altKey, metaKey, shiftKey } = event;
      if (event.defaultPrevented || view.composing || metaKey || shiftKey || ctrlKey === altKey) return false;
      return code === (ctrlKey ? "Space" : "Slash") && startCompletion(view);
    },
  }),
);

export function completion(language: EditorLanguage, words: CompletionWords): Extension {
  return [
    keys,
    ask,
    autocompletion({
      override: [sourceOf(language)],
      defaultKeymap: false,
      selectOnOpen: false,
      icons: false,
      interactionDelay: 0,
      maxRenderedOptions: 60,
      tooltipClass: () => "cm-complete",
    }),
    announce(words),
    // The pane that holds the editor would cut it off.
    tooltips({ parent: document.body }),
    look,
  ];
}

const look = EditorView.theme({
  ".cm-tooltip": { zIndex: "5", border: "1px solid var(--rule)", borderRadius: "var(--r-1)", background: "var(--surface)", color: "var(--ink)" },
  "&.cm-tooltip.cm-complete > ul, .cm-complete > ul": { font: "13px/20px var(--mono)", maxHeight: "14em" },
  ".cm-complete > ul > li": { padding: "2px 8px", maxWidth: "min(62ch, 90vw)", overflow: "hidden", textOverflow: "ellipsis" },
  ".cm-complete > ul > li[aria-selected]": { background: "var(--ink)", color: "var(--paper)" },
  ".cm-complete > ul > li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionDetail": { color: "var(--ink2)", fontStyle: "normal", marginLeft: "0" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "var(--w-strong)" },
  ".cm-completionInfo": { padding: "4px 8px", maxWidth: "min(48ch, 90vw)", font: "13px/20px var(--mono)", overflowWrap: "anywhere" },
});
