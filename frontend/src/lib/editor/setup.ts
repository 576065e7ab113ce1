/** The editor behind the text area: CodeMirror with what solving a problem needs, and nothing else. */

import { closeBrackets } from "@codemirror/autocomplete";
import { history, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import * as view from "@codemirror/view";

import type { EditorText } from "../editor_text.svelte";
import type { EditorKeys } from "../preferences.svelte";
import { changeBetween, placeIn, withLineFeeds } from "./change";
import { completion, type CompletionWords } from "./completion";
import { showControls } from "./controls";
import { loadLanguage } from "./grammar";
import { highlight } from "./highlight";
import { commonKeys, loadKeys, pageKeys } from "./keymaps";
import type { EditorLanguage } from "./languages";
import { type LineMark, lineMarks, markLines, type Origin } from "./marks";
import type { Notes } from "./native";
import { pageActions } from "./page_actions";
import type { Action } from "./shortcuts";
import { theme } from "./theme";

export type Options = {
  readonly parent: HTMLElement;
  readonly doc: string;
  readonly label: string;
  /** The id of the text that says how to leave. */
  readonly hint: string;
  readonly isReadonly: boolean;
  readonly text: EditorText;
  readonly language: EditorLanguage;
  readonly completion: CompletionWords;
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
  readonly #layout = new Compartment();
  readonly #notes = new Compartment();
  readonly #label = new Compartment();

  #keysAsked = 0;
  #notesAsked = 0;

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
        this.#layout.of(layout(options.text)),
        showControls(options.phrases["Control character"] ?? ""),
        indentOnInput(),
        history(),
        bracketMatching(),
        closeBrackets(),
        completion(options.language, options.completion),
        highlightSelectionMatches({ wholeWords: true }),
        search({ top: true }),
        language,
        highlight,
        lineMarks,
        this.#notes.of([]),
        this.#label.of(label(options.label)),
        theme,
        EditorState.phrases.of(options.phrases),
        view.EditorView.cspNonce.of(nonce()),
        view.EditorView.contentAttributes.of({
          // Reached by Tab and scrolled by its keys, like any field.
          tabindex: "0",
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
    const { head } = this.#view.state.selection.main;
    const isInside = head > changes.from && head < changes.to;
    const selection = isInside ? { selection: { anchor: placeIn(this.text, withLineFeeds(text), head) } } : {};
    this.#view.dispatch({ changes, ...selection, annotations: [fromPage.of(true), isolateHistory.of("full")] });
  }

  select(anchor: number, head: number): void {
    const most = this.#view.state.doc.length;
    this.#view.dispatch({ selection: { anchor: Math.min(anchor, most), head: Math.min(head, most) } });
  }

  /** Mark lines; those of another text are left out, and marks that are there follow their lines. */
  setMarks(marks: readonly LineMark[], origin: Origin, judged?: string): void {
    if (marks.length && !this.#is(judged)) return;
    this.#view.dispatch({ effects: markLines(marks, origin) });
  }

  /** Put the cursor at the begin of a line and bring it into view. */
  goToLine(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    const effects = view.EditorView.scrollIntoView(from, { y: "center" });
    this.#view.dispatch({ selection: { anchor: from }, effects });
    this.focus();
  }

  /** Show what a report knows of the lines of the text that was judged; null takes it away. */
  async setNotes(notes: Notes | null, judged?: string): Promise<void> {
    const asked = ++this.#notesAsked;
    let shown: Extension = [];
    try {
      const native = notes && (await import("./native"));
      // It was edited meanwhile: numbers of lines say nothing.
      if (native && this.#is(judged)) shown = native.showNotes(notes, this.#view.state);
    } catch (error) {
      // The server is gone, as the notice says; the verdict has the same lines.
      if (!(error instanceof TypeError)) throw error;
    }
    // Another report, or the end of the editor, came first.
    if (asked === this.#notesAsked) this.#view.dispatch({ effects: this.#notes.reconfigure(shown) });
  }

  /** Whether this very text stands here; any does if it is not known which. */
  #is(text: string | undefined): boolean {
    return text === undefined || this.text === withLineFeeds(text);
  }

  setReadonly(isReadonly: boolean): void {
    this.#view.dispatch({ effects: this.#readonly.reconfigure(readonly(isReadonly)) });
  }

  setLabel(name: string): void {
    this.#view.dispatch({ effects: this.#label.reconfigure(label(name)) });
  }

  setLayout(text: EditorText): void {
    this.#view.dispatch({ effects: this.#layout.reconfigure(layout(text)) });
    this.#view.requestMeasure();
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
    this.#notesAsked++;
    this.#view.destroy();
  }
}

function readonly(isReadonly: boolean): Extension {
  if (!isReadonly) return [];
  return [EditorState.readOnly.of(true), view.EditorView.contentAttributes.of({ "aria-readonly": "true" })];
}

function label(name: string): Extension {
  return view.EditorView.contentAttributes.of({ "aria-label": name });
}

function layout({ wrap, tab }: EditorText): Extension {
  return [
    EditorState.tabSize.of(Number(tab)),
    indentUnit.of(" ".repeat(Number(tab))),
    wrap === "on" ? view.EditorView.lineWrapping : [],
  ];
}

/** The nonce of this document; CodeMirror's style sheet is made by script and needs it. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
