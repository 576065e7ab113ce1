/** The names of torch and CUDA with their signatures, by the path that stands before them; loaded on demand. */

import type { EditorLanguage } from "./languages";

/** What follows the name: its parameters, or a colon and its type. */
export type Known = { readonly name: string; readonly tail: string };
export type Sections = ReadonlyMap<string, readonly Known[]>;

const read = new Map<EditorLanguage, Promise<Sections>>();

/** Load the names of a language; the text of a package has those of both. */
export function namesOf(language: EditorLanguage): Promise<Sections> {
  let found = read.get(language);
  if (!found) {
    found = load(language);
    // What did not come now may come later.
    found.catch(() => read.delete(language));
    read.set(language, found);
  }
  return found;
}

async function load(language: EditorLanguage): Promise<Sections> {
  if (language === "python") return parse((await import("./names/torch")).default);
  if (language === "cpp") return parse((await import("./names/cuda")).default);
  if (language === "toml") return new Map();
  const [torch, cuda] = await Promise.all([namesOf("python"), namesOf("cpp")]);
  return new Map([...torch, ...cuda]);
}

export function parse(text: string): Sections {
  const sections = new Map<string, Known[]>();
  let section: Known[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("@")) sections.set(line.slice(1), (section = []));
    else {
      const name = /^\w+/.exec(line)?.[0];
      if (name) section.push({ name, tail: line.slice(name.length) });
    }
  }
  return sections;
}

const ALIASES: Readonly<Record<string, string>> = {
  nn: "torch.nn",
  F: "torch.nn.functional",
  Tensor: "torch.Tensor",
  dist: "torch.distributed",
  cg: "cooperative_groups",
  wmma: "nvcuda::wmma",
};

/** Spell out a path as it stands in the text: `F` is `torch.nn.functional`, or what the text imports as `F`. */
export function pathOf(written: string, text: string): string {
  const [first = "", ...rest] = written.split(/\.|::/);
  const imported =
    new RegExp(`^[ \\t]*import +([\\w.]+) +as +${first}\\b`, "m").exec(text)?.[1] ??
    fromImport(first, text) ??
    new RegExp(`\\bnamespace +${first} *= *([\\w:]+)`).exec(text)?.[1] ??
    ALIASES[first] ??
    first;
  return [imported, ...rest].join(written.includes("::") ? "::" : ".");
}

function fromImport(name: string, text: string): string | undefined {
  const line = new RegExp(`^[ \\t]*from +([\\w.]+) +import +[^\\n]*?\\b(\\w+) +as +${name}\\b`, "m").exec(text);
  if (line) return `${line[1]}.${line[2]}`;
  const plain = new RegExp(`^[ \\t]*from +([\\w.]+) +import +[^\\n]*\\b${name}\\b(?! +as)`, "m").exec(text);
  return plain ? `${plain[1]}.${name}` : undefined;
}
