/** What is known of the lines of a kernel: the letters of a finding, the missing barrier, the counters. */

import { type EditorState, type Extension, Prec, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker, keymap, type Panel, showPanel, WidgetType } from "@codemirror/view";

import { mainHazard, type Role, rolesOf } from "../figures/hazard";
import { t } from "../i18n";
import type { CountedKernel, CountedLine, NativeReport, VerdictCode } from "../types";
import { firstLetter, follow } from "./lines";

/** What the editor shows beside the lines of the text that was judged. */
export type Notes = { readonly native: NativeReport; readonly verdict: VerdictCode };

/** Make the extension for a report. */
export function showNotes({ native, verdict }: Notes, state: EditorState): Extension {
  const hazard = mainHazard(native.hazards ?? [], verdict);
  const { lines } = state.doc;
  const roles = (hazard ? rolesOf(hazard) : []).filter(({ line }) => line <= lines);
  const missing = hazard?.missing && hazard.missing.line <= lines ? hazard.missing : null;
  // What it costs is of interest once it is right.
  const counted = verdict === "AC" ? native.counters.filter((each) => each.lines.length > 0) : [];
  return [
    roles.length ? findingExtension(roles, missing, state) : [],
    counted.length ? countersExtension(counted, state) : [],
  ];
}

/** A role and where its line is now. */
type Placed = Role & { readonly pos: number };

/** The letters beside their lines, their words in the text, and F8 from one to the next. */
function findingExtension(roles: readonly Role[], missing: { line: number; call: string } | null, state: EditorState): Extension {
  const { doc } = state;
  const letters = new Map<number, Role>();
  for (const role of roles.toSorted((a, b) => a.line - b.line)) {
    const known = letters.get(role.line);
    letters.set(role.line, known ? joined(known, role) : role);
  }
  const field = StateField.define<readonly Placed[]>({
    create: () => [...letters.values()].map((role) => ({ ...role, pos: firstLetter(doc.line(role.line)) })),
    update: (placed, { docChanged, changes }) =>
      docChanged ? follow(placed, changes) : placed,
    provide: (field) => EditorView.decorations.compute([field], (state) => decorate(state.field(field), state.doc)),
  });
  const absent = StateField.define<DecorationSet>({
    create: () => Decoration.set(missing ? [gap(missing, state)] : []),
    update: (value, { docChanged, changes }) => (docChanged ? value.map(changes) : value),
    provide: (field) => EditorView.decorations.from(field),
  });
  const markers = ({ state }: EditorView) =>
    RangeSet.of(
      state.field(field).map(({ letter, pos }) => new Letter(letter).range(state.doc.lineAt(pos).from)),
      true,
    );
  return [
    field,
    absent,
    Prec.high(gutter({ class: "cm-letters", markers })),
    Prec.high(
      keymap.of([
        { key: "F8", run: (view) => step(view, view.state.field(field), 1) },
        { key: "Shift-F8", run: (view) => step(view, view.state.field(field), -1) },
      ]),
    ),
    look,
  ];
}

function decorate(placed: readonly Placed[], doc: Text): DecorationSet {
  const ranges = placed.flatMap(({ letter, words, pos }) => {
    const { from, to } = doc.lineAt(pos);
    return [tint.range(from), Decoration.widget({ widget: new Said(t.cuda.mark(letter, words)), side: 1 }).range(to)];
  });
  return Decoration.set(ranges, true);
}

function joined(known: Role, role: Role): Role {
  if (known.letter === role.letter) return { ...known, words: `${known.words}${t.verdict.list}${role.words}` };
  return { line: known.line, letter: known.letter + role.letter, words: `${known.words}${t.verdict.list}${role.words}` };
}

/** Put the cursor at the next marked line and say what it is. */
function step(view: EditorView, placed: readonly Placed[], direction: 1 | -1): boolean {
  const { doc, selection } = view.state;
  const here = doc.lineAt(selection.main.head).from;
  const lines = placed.map(({ pos, words }) => ({ from: doc.lineAt(pos).from, words }));
  const ordered = direction === 1 ? lines : lines.toReversed();
  const next = ordered.find(({ from }) => (from - here) * direction > 0) ?? ordered[0];
  if (!next) return false;
  const line = doc.lineAt(next.from);
  view.dispatch({
    selection: { anchor: line.from },
    effects: [
      EditorView.scrollIntoView(line.from, { y: "center" }),
      EditorView.announce.of(t.cuda.markedLine(line.number, next.words)),
    ],
  });
  return true;
}

class Letter extends GutterMarker {
  constructor(readonly letter: string) {
    super();
  }

  override eq(other: Letter): boolean {
    return other.letter === this.letter;
  }

  override toDOM(): Node {
    return document.createTextNode(this.letter);
  }
}

const tint = Decoration.line({ class: "cm-found" });

/** What a letter means, for those who hear the line. */
class Said extends WidgetType {
  constructor(readonly words: string) {
    super();
  }

  override eq(other: Said): boolean {
    return other.words === this.words;
  }

  override toDOM(): HTMLElement {
    const said = document.createElement("span");
    said.className = "sr";
    said.textContent = ` ${this.words}`;
    return said;
  }
}

/** The missing statement before its line, indented like what stands above it. */
function gap({ line, call }: { line: number; call: string }, state: EditorState) {
  const above = state.doc.line(Math.max(1, line - 1)).text;
  const own = state.doc.line(line).text;
  const inside = own.trimStart().startsWith("}") ? 4 : 0;
  const indent = own.trim() ? own.length - own.trimStart().length + inside : above.length - above.trimStart().length;
  return Decoration.widget({ widget: new Gap(call, indent), block: true, side: -1 }).range(state.doc.line(line).from);
}

class Gap extends WidgetType {
  constructor(
    readonly call: string,
    readonly indent: number,
  ) {
    super();
  }

  override eq(other: Gap): boolean {
    return other.call === this.call && other.indent === this.indent;
  }

  override toDOM(): HTMLElement {
    const gap = document.createElement("div");
    gap.className = "cm-missing";
    gap.style.marginLeft = `${this.indent}ch`;
    gap.textContent = `${t.cuda.missingHere}  ${this.call}`;
    return gap;
  }
}

const choose = StateEffect.define<{ readonly launch?: number; readonly isShown?: boolean }>();
type Chosen = { readonly launch: number; readonly isShown: boolean };

/** Three numbers left of each line that moves data; the table in the verdict holds all of them. */
function countersExtension(counted: readonly CountedKernel[], state: EditorState): Extension {
  const dearest = counted.reduce((best, each, at) => (each.cycles > (counted[best]?.cycles ?? 0) ? at : best), 0);
  const all = counted.map(({ lines }) =>
    RangeSet.of(
      lines
        .filter((each) => each.line <= state.doc.lines && (each.sectors !== null || each.ways || each.requests))
        .map((each) => new Numbers(each).range(state.doc.line(each.line).from)),
      true,
    ),
  );
  const field = StateField.define<Chosen & { readonly all: readonly RangeSet<GutterMarker>[] }>({
    create: () => ({ launch: dearest, isShown: true, all }),
    update(value, { docChanged, changes, effects }) {
      let now = docChanged ? { ...value, all: value.all.map((each) => each.map(changes)) } : value;
      for (const effect of effects) if (effect.is(choose)) now = { ...now, ...effect.value };
      return now;
    },
  });
  return [
    field,
    Prec.highest(
      gutter({
        class: "cm-counted",
        markers: (view) => {
          const { launch, isShown, all } = view.state.field(field);
          return (isShown ? all[launch] : undefined) ?? RangeSet.empty;
        },
        lineMarkerChange: (update) => update.transactions.some((each) => each.effects.some((effect) => effect.is(choose))),
      }),
    ),
    showPanel.of((view) => panel(view, counted, view.state.field(field))),
    look,
  ];
}

/** A bar in the width of its cell: how far a number is from the ideal one. */
class Numbers extends GutterMarker {
  constructor(readonly line: CountedLine) {
    super();
  }

  override toDOM(): HTMLElement {
    const { sectors, ways, lanes } = this.line;
    const row = document.createElement("span");
    row.className = "cm-numbers";
    row.append(
      cell(sectors === null ? "" : sectors.toFixed(1), sectors === null ? 0 : sectors / 32, (sectors ?? 0) > 4),
      cell(ways ? `${Number(ways.toPrecision(3))}` : "", ways ? ways / 32 : 0, (ways ?? 0) > 1),
      cell(lanes === null ? "" : `${Math.round((100 * lanes) / 32)}`, 0, false),
    );
    return row;
  }
}

function cell(text: string, share: number, isDear: boolean): HTMLElement {
  const cell = document.createElement("span");
  if (isDear) cell.className = "dear";
  cell.textContent = text;
  if (share > 0) {
    const bar = document.createElement("i");
    bar.style.width = `${Math.max(2, Math.round(28 * Math.min(1, share)))}px`;
    cell.append(bar);
  }
  return cell;
}

/** The heads of the columns, which launch it is, and the ideal values. */
function panel(view: EditorView, counted: readonly CountedKernel[], { launch, isShown }: Chosen): Panel {
  const words = t.cuda.counters;
  const dom = document.createElement("div");
  dom.className = "cm-counters";
  const toggle = document.createElement("button");
  toggle.type = "button";
  toggle.textContent = words.show;
  const heads = document.createElement("span");
  heads.className = "cm-numbers";
  for (const text of [words.head.sectors, words.head.ways, words.head.lanes]) {
    const head = document.createElement("span");
    head.textContent = text;
    heads.append(head);
  }
  const ideal = document.createElement("span");
  ideal.className = "ideal";
  ideal.textContent = words.ideal;
  const shape = (each: CountedKernel) => words.shape(each.kernel, each.grid.join(", "), each.block.join(", "));
  const which = document.createElement(counted.length > 1 ? "select" : "span");
  if (which instanceof HTMLSelectElement) {
    which.setAttribute("aria-label", words.launch);
    counted.forEach((each, at) => which.add(new Option(shape(each), `${at}`, false, at === launch)));
    which.onchange = () => view.dispatch({ effects: choose.of({ launch: which.selectedIndex }) });
  } else if (counted[0]) which.textContent = shape(counted[0]);
  const show = (isNow: boolean): void => {
    toggle.setAttribute("aria-pressed", `${isNow}`);
    for (const part of [heads, ideal, which]) part.hidden = !isNow;
  };
  show(isShown);
  let isNow = isShown;
  toggle.onclick = () => {
    isNow = !isNow;
    show(isNow);
    view.dispatch({ effects: choose.of({ isShown: isNow }) });
  };
  dom.append(heads, toggle, ideal, which);
  return { dom, top: true };
}

const look = EditorView.baseTheme({
  ".cm-letters .cm-gutterElement": { color: "var(--hazard)", fontWeight: "var(--w-strong)", minWidth: "20px", textAlign: "right" },
  "& .cm-line.cm-found": { background: "var(--sunk)" },
  ".cm-missing": {
    width: "fit-content",
    border: "1px dashed var(--hazard)",
    color: "var(--hazard)",
    padding: "0 8px",
    whiteSpace: "pre-wrap",
  },
  ".cm-numbers": { display: "inline-grid", gridTemplateColumns: "88px 84px 60px", fontVariantNumeric: "tabular-nums" },
  ".cm-numbers > span": { display: "flex", alignItems: "center", gap: "4px", padding: "0 6px", whiteSpace: "nowrap", overflow: "hidden" },
  ".cm-numbers > .dear": { color: "var(--ink)", fontWeight: "var(--w-strong)" },
  ".cm-numbers i": { height: "4px", background: "currentColor" },
  ".cm-counted .cm-gutterElement": { color: "var(--ink2)", borderRight: "1px solid var(--hair)" },
  ".cm-counters": { display: "flex", gap: "12px", alignItems: "center", minHeight: "var(--tap)", whiteSpace: "nowrap", overflow: "hidden" },
  ".cm-counters [hidden]": { display: "none" },
  ".cm-counters button, .cm-counters select": {
    font: "inherit",
    color: "var(--ink)",
    background: "none",
    border: "1px solid var(--rule)",
    borderRadius: "var(--r-1)",
    minHeight: "var(--tap)",
    cursor: "pointer",
  },
  ".cm-counters > *": { flex: "none" },
  ".cm-counters > *:last-child": { flex: "0 1 auto", minWidth: "0", overflow: "hidden", textOverflow: "ellipsis" },
  ".cm-counters button[aria-pressed=true]": { fontWeight: "var(--w-strong)" },
  "@media (max-width: 720px)": {
    ".cm-numbers": { gridTemplateColumns: "44px" },
    ".cm-numbers > span:not(:nth-child(2)), .cm-numbers i, .cm-counters .ideal": { display: "none" },
  },
});
