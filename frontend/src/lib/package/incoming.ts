/** Files from outside: a folder, an archive, single files. All of them are taken, or none. */

import { bytesOf, headLine, joinBundle, MOST_BYTES, MOST_FILES, pathFault, splitBundle } from "./bundle";
import { Refused } from "./refused";
import { readZip, type Source } from "./zip";

/** What came of them: the whole text, and how many files are new, are replaced, were left out. */
export type Taken = {
  readonly text: string;
  readonly added: number;
  readonly replaced: number;
  readonly skipped: number;
  /** The first file that is new or another. */
  readonly first: string;
};

// An archive holds what compresses badly, and files that are left out.
const MOST_ARCHIVE = 16 << 20;
// What a version control or an environment leaves in a folder: more is not looked through.
const MOST_SEEN = 20_000;
// Files that a build or an editor leaves in a folder; `core/bundle.py` leaves out the same.
const LEFT_OUT = /^((?!\.\.?$)\..*|__pycache__|build|dist|.*\.egg-info)$/;

/** Put files into a package: those of the same path are replaced, others come after them. */
export async function take(sources: readonly Source[], text: string): Promise<Taken> {
  const opened = (await Promise.all(sources.map(open))).flat();
  // Archives of macOS have a second tree, of resource forks.
  const named = withoutTop(opened.filter(({ path }) => !path.startsWith("__MACOSX/")));
  const chosen = named.filter(({ path }) => !path.split("/").some((part) => LEFT_OUT.test(part)));
  if (chosen.length === 0) throw new Refused("none", "");
  if (chosen.length > MOST_FILES) throw new Refused("many", `${MOST_FILES}`);
  const texts = await readAll(chosen);
  const now = splitBundle(text);
  const files = now.files.map((file) => {
    const found = texts.get(file.path);
    return found === undefined ? file : { ...file, text: found };
  });
  const old = new Map(now.files.map((file) => [file.path, file.text]));
  const fresh = [...texts].filter(([path]) => !old.has(path));
  for (const [path, body] of fresh) {
    const key = pathFault(path, files.map((file) => file.path));
    if (key) throw new Refused(key, path);
    files.push({ head: `=== ${path}\n`, path, text: body });
  }
  if (files.length > MOST_FILES) throw new Refused("many", `${MOST_FILES}`);
  const joined = joinBundle({ preamble: now.preamble, files });
  if (bytesOf(joined) > MOST_BYTES) throw new Refused("large", `${MOST_BYTES >> 10} KiB`);
  const changed = [...texts].filter(([path, body]) => old.has(path) && old.get(path) !== body);
  const first = (changed[0] ?? fresh[0] ?? chosen.map(({ path }) => [path] as const)[0]!)[0];
  const skipped = named.length - chosen.length;
  return { text: joined, added: fresh.length, replaced: changed.length, skipped, first };
}

async function open(source: Source): Promise<Source[]> {
  if (!/\.zip$/i.test(source.path)) return [source];
  return readZip(await source.read(MOST_ARCHIVE));
}

async function readAll(sources: readonly Source[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  let left = MOST_BYTES;
  for (const { path, read } of sources) {
    // Before anything is read: a path that leads elsewhere is not worth it.
    const key = pathFault(path, [...texts.keys()]);
    if (key) throw new Refused(key, path);
    const bytes = await read(left).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      throw error.key === "large" ? new Refused("large", `${MOST_BYTES >> 10} KiB`) : error;
    });
    left -= bytes.length;
    texts.set(path, decode(bytes, path));
  }
  return texts;
}

function decode(bytes: Uint8Array, path: string): string {
  let text: string;
  try {
    // A mark of the byte order is a part of the file: it comes back as it was.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused("binary", path);
  }
  if (text.includes("\0")) throw new Refused("binary", path);
  const line = headLine(text);
  // The stored text would end the file there.
  if (line) throw new Refused("head", path, line);
  return text;
}

/** Take off the folder around a package: an archive of a project has one. */
function withoutTop(sources: readonly Source[]): readonly Source[] {
  const [top = ""] = sources[0]?.path.split("/") ?? [];
  const isAround = pathFault(top, []) === null && sources.every(({ path }) => path.startsWith(`${top}/`));
  const isPackage = sources.some(({ path }) => path === `${top}/pyproject.toml` || path === `${top}/setup.py`);
  if (!isAround || !isPackage) return sources;
  return sources.map(({ path, read }) => ({ path: path.slice(`${top}/`.length), read }));
}

/** The files of a field, with their folders if it was one for folders. */
export function chosenFiles(files: Iterable<File>): Source[] {
  return [...files].map((file) => sourceOf(file.webkitRelativePath || file.name, file));
}

/** The files and folders that were dropped. To be called at once: later the browser has forgotten them. */
export function droppedFiles(data: DataTransfer): Promise<Source[]> {
  const seen = { count: 0 };
  const found = [...data.items].map(async (item) => {
    const entry = item.webkitGetAsEntry();
    if (entry) return walk(entry, seen);
    const file = item.getAsFile();
    return file ? chosenFiles([file]) : [];
  });
  return Promise.all(found).then((each) => each.flat());
}

async function walk(entry: FileSystemEntry, seen: { count: number }): Promise<Source[]> {
  if (++seen.count > MOST_SEEN) throw new Refused("many", `${MOST_FILES}`);
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [sourceOf(path, file)];
  }
  // What is left out anyway is not looked through; one stands for all of it.
  if (LEFT_OUT.test(entry.name)) return [{ path, read: () => Promise.resolve(new Uint8Array()) }];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Source[] = [];
  for (;;) {
    // A browser gives a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const each of some) found.push(...(await walk(each, seen)));
  }
}

function sourceOf(path: string, file: File): Source {
  return {
    path,
    async read(most) {
      if (file.size > most) throw new Refused("large", `${most >> 10} KiB`);
      try {
        return new Uint8Array(await file.arrayBuffer());
      } catch (error) {
        // Removed meanwhile, or a folder.
        if (error instanceof DOMException) throw new Refused("unread", path);
        throw error;
      }
    },
  };
}
