/** A package as the page shows it: each file keeps its number, whatever its path, and the text that its editor holds. */

import { type BundleFile, type Files, joinBundle, splitBundle } from "./bundle";

export type OpenFile = BundleFile & { readonly id: number; readonly shown: string };
export type View = {
  /** The whole text, as it is kept and submitted. */
  readonly text: string;
  readonly preamble: string;
  readonly files: readonly OpenFile[];
};

let last = 0;

/** Split a text; a file keeps its number if its path was there, and what its editor holds if it is the same. */
export function viewOf(text: string, before?: View): View {
  const { preamble, files } = splitBundle(text);
  const left = [...(before?.files ?? [])];
  const number = (file: BundleFile): OpenFile => {
    const at = left.findIndex(({ path }) => path === file.path);
    const known = at < 0 ? undefined : left.splice(at, 1)[0];
    const shown = known && stored(known) === file.text ? known.shown : file.text;
    return { ...file, id: known?.id ?? ++last, shown };
  };
  return { text, preamble, files: files.map(number) };
}

/** Take a change of the files, which keep their order and their numbers, with new ones at the end. */
export function viewFrom(files: Files, before: View): View {
  const known = new Map(before.files.map((file) => [file.id, file]));
  const numbered = files.files.map((file): OpenFile => {
    const { id } = file as Partial<OpenFile>;
    const old = id === undefined ? undefined : known.get(id);
    if (!old) return { ...file, id: ++last, shown: file.text };
    return { ...file, id: old.id, shown: old.shown };
  });
  return { text: joinBundle(files), preamble: files.preamble, files: numbered };
}

/** Take what was typed into the editor of a file. */
export function typed(view: View, id: number, shown: string, change: (files: Files, at: number, text: string) => Files): View {
  const at = view.files.findIndex((file) => file.id === id);
  const next = viewFrom(change(view, at, shown), view);
  return { ...next, files: next.files.map((file) => (file.id === id ? { ...file, shown } : file)) };
}

// The stored text of a file ends its last line if another file follows.
function stored(file: OpenFile): string {
  return file.text === "" || file.text.endsWith("\n") ? file.text : `${file.text}\n`;
}
