/** Marks at lines with what is wrong there; they follow their lines through edits. */

import { type Extension, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutterLineClass, WidgetType } from "@codemirror/view";

import { firstLetter, follow } from "./lines";

export type LineMark = {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
};

/** Where a mark comes from: the last report, or what was just written. */
export type Origin = "report" | "typing";

type Mark = { readonly pos: number; readonly message: string; readonly origin: Origin };

const setMarks = StateEffect.define<{ readonly marks: readonly LineMark[]; readonly origin: Origin }>();

/** Replace the marks of one origin; lines that do not exist are left out. */
export const markLines = (marks: readonly LineMark[], origin: Origin) => setMarks.of({ marks, origin });

const marksField = StateField.define<readonly Mark[]>({
  create: () => [],
  update(marks, transaction) {
    let now = transaction.docChanged && marks.length > 0 ? follow(marks, transaction.changes) : marks;
    for (const effect of transaction.effects) {
      if (!effect.is(setMarks)) continue;
      const { marks, origin } = effect.value;
      const others = now.filter((mark) => mark.origin !== origin);
      now = [...others, ...place(marks, origin, transaction.newDoc)].toSorted((first, second) => first.pos - second.pos);
    }
    return now;
  },
  provide: (field) => [
    EditorView.decorations.compute([field], (state) => decorate(state.field(field), state.doc)),
    gutterLineClass.compute([field], (state) =>
      RangeSet.of(
        linesOf(state.field(field), state.doc).map((line) => numberMark.range(line.from)),
        true,
      ),
    ),
  ],
});

export const lineMarks: Extension = marksField;

function place(marks: readonly LineMark[], origin: Origin, doc: Text): readonly Mark[] {
  return marks
    .filter(({ line }) => Number.isInteger(line) && line >= 1 && line <= doc.lines)
    .map(({ line, message }) => ({ pos: firstLetter(doc.line(line)), message, origin }));
}

function linesOf(marks: readonly Mark[], doc: Text) {
  const lines = marks.map((mark) => doc.lineAt(mark.pos));
  return lines.filter((line, index) => line.from !== lines[index - 1]?.from);
}

function decorate(marks: readonly Mark[], doc: Text) {
  const tints = linesOf(marks, doc).map((line) => lineTint.range(line.from));
  const notes = marks
    .filter((mark) => mark.message !== "")
    .map(({ pos, message }) => {
      const widget = new Note(message);
      return Decoration.widget({ widget, block: true, side: 1 }).range(doc.lineAt(pos).to);
    });
  return Decoration.set([...tints, ...notes], true);
}

const lineTint = Decoration.line({ class: "cm-marked" });
const numberMark = new (class extends GutterMarker {
  override elementClass = "cm-marked-number";
})();

class Note extends WidgetType {
  constructor(readonly message: string) {
    super();
  }

  override eq(other: Note): boolean {
    return other.message === this.message;
  }

  override toDOM(): HTMLElement {
    const note = document.createElement("div");
    note.className = "cm-mark-note";
    note.textContent = this.message;
    return note;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
