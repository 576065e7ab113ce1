/** The words of a package: its files, and what comes from outside. */

const files = (count: number) => `${count} ${count === 1 ? "file" : "files"}`;

export const packaging = {
  tabs: "Files of the package",
  /** After the path, in a tab with a mark. */
  marked: (line: number) => `, error in line ${line}`,
  menu: "Files",
  add: "New file…",
  rename: "Rename…",
  remove: "Delete…",
  takeFiles: "Add files or a zip…",
  takeFolder: "Add a folder…",
  download: "Download as zip",
  whole: "Show as one text",
  apart: "Show as files",
  drop: "Drop files, a folder or a zip here",
  path: { add: "Path of the new file", rename: (path: string) => `New path of ${path}` },
  go: { add: "Add", rename: "Rename" },
  cancel: "Cancel",
  askRemove: {
    title: (path: string) => `Delete ${path}?`,
    text: "Its text goes. You can undo this until you change another file.",
    yes: "Delete",
    no: "Keep the file",
  },
  removed: (path: string) => `${path} is deleted.`,
  taken: (added: number, replaced: number) =>
    added || replaced ? `${files(added)} added, ${replaced} replaced.` : "All of them are here already, with the same text.",
  /** After the sentence above. */
  skipped: (count: number) => ` ${files(count)} left out: hidden ones and build products.`,
  undo: "Undo",
  close: "Close",
  refused: "Nothing was added.",
  safe: "Your text is as it was.",
  refusal: {
    path: (word: string, _line: number) => `The path ${word} is not inside the package. Use a relative path without “..” and “\\”.`,
    twice: (word: string, _line: number) => `The path ${word} is taken, or a file and a folder have the same name.`,
    many: (_word: string, _line: number) => "A package has at most 64 files.",
    large: (word: string, _line: number) => `The files of a package have at most ${word} in all.`,
    binary: (word: string, _line: number) => `${word} is not UTF-8 text. A package holds source files only.`,
    head: (word: string, line: number) =>
      `Line ${line} of ${word} begins with “=== ”. The stored text would begin another file there; indent this line.`,
    none: (_word: string, _line: number) => "There is no file in it that belongs to a package.",
    zip: (word: string, _line: number) => `The zip archive is damaged${word ? ` at ${word}` : ""}.`,
    zipKind: (word: string, _line: number) => `${word} is encrypted, or compressed by another method than deflate.`,
    unread: (word: string, _line: number) => `${word} cannot be read.`,
  },
  fault: {
    empty: (_word: string, _line: number) => "The text holds no file yet: a line “=== path” begins one.",
    prose: (_word: string, line: number) => `Line ${line} of the text is in no file, so the judge refuses it.`,
    path: (word: string, line: number) => `“${word}” in line ${line} of the text is no path inside the package, so the judge refuses it.`,
    twice: (word: string, _line: number) => `The path ${word} is there twice, so the judge refuses the package.`,
    many: (_word: string, _line: number) => "The package has more than 64 files, so the judge refuses it.",
    large: (word: string, _line: number) => `The package is larger than ${word}, so the judge refuses it.`,
  },
  /** A line within a file that the stored text takes for the beginning of another file. */
  head: (path: string, line: number) => `Line ${line} of ${path} begins with “=== ”, so the package has another file from there on.`,
  split: "Show it as a file",
};
