/** The files of a package as one text, read and written byte for byte. `core/bundle.py` has the same rules. */

export const MOST_FILES = 64;
export const MOST_BYTES = 256 << 10;

/** One file: the line that begins it, with its end, and all that follows up to the next one. */
export type BundleFile = { readonly head: string; readonly path: string; readonly text: string };
/** What precedes the first file (comments and empty lines), and the files. */
export type Files = { readonly preamble: string; readonly files: readonly BundleFile[] };

/** Why a text is no bundle; `word` is the path or the line. */
export type Fault = {
  readonly key: "empty" | "prose" | "path" | "twice" | "many" | "large";
  readonly word: string;
  /** In the whole text, from 1; 0 if the fault has no line. */
  readonly line: number;
};

const MARK = "=== ";
// What Python's `str.strip` removes.
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const OUTER_SPACE = new RegExp(`^${SPACE}+|${SPACE}+$`, "g");
const strip = (text: string) => text.replace(OUTER_SPACE, "");

/** Split a text, valid or not, so that `joinBundle` returns every byte of it. */
export function splitBundle(text: string): Files {
  let preamble = "";
  const files: { head: string; path: string; text: string }[] = [];
  for (const line of linesOf(text)) {
    const file = files.at(-1);
    if (line.startsWith(MARK)) files.push({ head: line, path: strip(line.slice(MARK.length)), text: "" });
    else if (file) file.text += line;
    else preamble += line;
  }
  return { preamble, files };
}

/** Join the files to one text. A line end is added where the next file would continue the last line. */
export function joinBundle({ preamble, files }: Files): string {
  return files.reduce((text, { head, text: body }) => {
    const begun = ended(text) + head;
    return body === "" ? begun : ended(begun) + body;
  }, preamble);
}

/** Return what the judge would refuse first; null if the text is a bundle. */
export function faultOf(text: string): Fault | null {
  if (bytesOf(text) > MOST_BYTES) return { key: "large", word: `${MOST_BYTES >> 10} KiB`, line: 0 };
  const { preamble, files } = splitBundle(text);
  let line = 1;
  for (const each of linesOf(preamble)) {
    if (strip(each) && !each.startsWith("#")) return { key: "prose", word: strip(each).slice(0, 80), line };
    line++;
  }
  const paths: string[] = [];
  for (const { path, text: body } of files) {
    const key = pathFault(path, paths);
    if (key) return { key, word: path, line };
    paths.push(path);
    line += 1 + linesOf(body).length;
  }
  if (files.length === 0) return { key: "empty", word: "", line: 0 };
  return files.length > MOST_FILES ? { key: "many", word: `${MOST_FILES}`, line: 0 } : null;
}

/** Return why a path cannot be added to others; null if it can. */
export function pathFault(path: string, others: readonly string[]): "path" | "twice" | null {
  if (!isInside(path)) return "path";
  const isTaken = (other: string) => other === path || path.startsWith(`${other}/`) || other.startsWith(`${path}/`);
  return others.some(isTaken) ? "twice" : null;
}

/** Return the number of the first line that would begin another file; 0 if there is none. */
export function headLine(text: string): number {
  return linesOf(text).findIndex((line) => line.startsWith(MARK)) + 1;
}

/** Return the files with another text in one of them. Its line ends stay as they were: an editor has line feeds alone. */
export function withText({ preamble, files }: Files, at: number, text: string): Files {
  const isDos = /\r\n/.test(files[at]?.text ?? "") && !/(^|[^\r])\n/.test(files[at]?.text ?? "");
  const written = isDos ? text.replace(/\r?\n/g, "\r\n") : text;
  return { preamble, files: files.map((file, index) => (index === at ? { ...file, text: written } : file)) };
}

export function withFile({ preamble, files }: Files, path: string, text: string): Files {
  return { preamble, files: [...files, { head: `${MARK}${path}\n`, path, text }] };
}

export function withPath({ preamble, files }: Files, at: number, path: string): Files {
  const rename = (file: BundleFile) => ({ ...file, head: `${MARK}${path}${/\r?\n$/.exec(file.head)?.[0] ?? ""}`, path });
  return { preamble, files: files.map((file, index) => (index === at ? rename(file) : file)) };
}

export function without({ preamble, files }: Files, at: number): Files {
  return { preamble, files: files.filter((_, index) => index !== at) };
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** Split after each line feed, and after nothing else. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function isInside(path: string): boolean {
  const isPlain = !/[\p{C}\p{Zl}\p{Zp}\\]|(?! )\p{Zs}/u.test(path) && [...path].length <= 200;
  return isPlain && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
