/** The editor behind the text area: CodeMirror with what solving a problem needs, and nothing else. */

import { closeBrackets } from "@codemirror/autocomplete";
import { history, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import * as view from "@codemirror/view";

import type { EditorKeys } from "../preferences.svelte";
import { changeBetween, withLineFeeds } from "./change";
import { loadLanguage } from "./grammar";
import { highlight } from "./highlight";
import { commonKeys, loadKeys, pageActions, pageKeys } from "./keymaps";
import type { EditorLanguage } from "./languages";
import { type LineMark, lineMarks, markLines } from "./marks";
import type { Action } from "./shortcuts";
import { theme } from "./theme";

export type Options = {
  readonly parent: HTMLElement;
  readonly doc: string;
  readonly label: string;
  /** The id of the text that says how to leave. */
  readonly hint: string;
  readonly isReadonly: boolean;
  readonly phrases: Readonly<Record<string, string>>;
  readonly onchange: (text: string) => void;
  readonly onaction: (action: Action) => void;
};

/** What the editor needs before it can stand there. */
export type Prepared = { readonly keys: Extension; readonly language: Extension };

export async function prepare(keys: EditorKeys, language: EditorLanguage): Promise<Prepared> {
  const [loaded, spoken] = await Promise.all([loadKeys(keys), loadLanguage(language)]);
  return { keys: [pageKeys(keys), loaded], language: spoken };
}

// A change that the page made; it is not told back to the page.
const fromPage = Annotation.define<true>();

/** One CodeMirror view; what may change while it stands is in a compartment. */
export class CodeEditor {
  readonly #view: view.EditorView;
  readonly #keys = new Compartment();
  readonly #readonly = new Compartment();

  #keysAsked = 0;

  constructor(options: Options, { keys, language }: Prepared) {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const state = EditorState.create({
      doc: options.doc,
      extensions: [
        this.#keys.of(keys),
        this.#readonly.of(readonly(options.isReadonly)),
        commonKeys,
        pageActions.of(options.onaction),
        view.lineNumbers(),
        view.highlightActiveLine(),
        view.highlightActiveLineGutter(),
        view.drawSelection(isStill ? { cursorBlinkRate: 0 } : {}),
        EditorState.allowMultipleSelections.of(true),
        EditorState.tabSize.of(4),
        indentUnit.of("    "),
        indentOnInput(),
        history(),
        bracketMatching(),
        closeBrackets(),
        highlightSelectionMatches({ wholeWords: true }),
        search({ top: true }),
        language,
        highlight,
        lineMarks,
        theme,
        EditorState.phrases.of(options.phrases),
        view.EditorView.cspNonce.of(nonce()),
        view.EditorView.contentAttributes.of({
          // Reached by Tab and scrolled by its keys, like any field.
          tabindex: "0",
          "aria-label": options.label,
          "aria-describedby": options.hint,
          // A suggestion in a phone's keyboard would change the code.
          autocorrect: "off",
          autocapitalize: "off",
          spellcheck: "false",
        }),
        view.EditorView.updateListener.of((update) => {
          const isOurs = update.transactions.some((each) => each.docChanged && each.annotation(fromPage) !== true);
          if (isOurs) options.onchange(update.state.doc.toString());
        }),
      ],
    });
    this.#view = new view.EditorView({ state, parent: options.parent });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Take another text as one change that can be undone; the cursor stays at its place. */
  setText(text: string): void {
    const changes = changeBetween(this.text, withLineFeeds(text));
    if (changes === null) return;
    this.#view.dispatch({ changes, annotations: [fromPage.of(true), isolateHistory.of("full")] });
  }

  select(anchor: number, head: number): void {
    const most = this.#view.state.doc.length;
    this.#view.dispatch({ selection: { anchor: Math.min(anchor, most), head: Math.min(head, most) } });
  }

  setMarks(marks: readonly LineMark[]): void {
    this.#view.dispatch({ effects: markLines(marks) });
  }

  /** Put the cursor at the begin of a line and bring it into view. */
  goToLine(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    const effects = view.EditorView.scrollIntoView(from, { y: "center" });
    this.#view.dispatch({ selection: { anchor: from }, effects });
    this.focus();
  }

  setReadonly(isReadonly: boolean): void {
    this.#view.dispatch({ effects: this.#readonly.reconfigure(readonly(isReadonly)) });
  }

  async setKeys(keys: EditorKeys): Promise<void> {
    const asked = ++this.#keysAsked;
    const loaded = await loadKeys(keys);
    // Another choice, made meanwhile, came first.
    if (asked !== this.#keysAsked) return;
    this.#view.dispatch({ effects: this.#keys.reconfigure([pageKeys(keys), loaded]) });
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    this.#keysAsked++;
    this.#view.destroy();
  }
}

function readonly(isReadonly: boolean): Extension {
  if (!isReadonly) return [];
  return [EditorState.readOnly.of(true), view.EditorView.contentAttributes.of({ "aria-readonly": "true" })];
}

/** The nonce of this document; CodeMirror's style sheet is made by script and needs it. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
