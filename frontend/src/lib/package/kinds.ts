/** What the ending of a file says of its language. */

import type { EditorLanguage } from "../editor/languages";

const ENDINGS: readonly (readonly [EditorLanguage, RegExp])[] = [
  ["python", /\.pyi?$/],
  ["cpp", /\.(c|cc|cpp|cxx|cu|h|hh|hpp|hxx|cuh|inc)$/],
  ["toml", /\.toml$/],
];

export function languageOfFile(path: string): EditorLanguage {
  return ENDINGS.find(([, ending]) => ending.test(path))?.[0] ?? "text";
}
