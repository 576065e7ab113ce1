/** What a catalogue must hold: English gives the shape, and Chinese is checked against it. */

import type * as english from "./en";
import type * as englishPackage from "./en/package";
import type * as englishTimes from "./en/times";

/** The same keys, the same parameters, any words. */
type Sentences<T> = T extends string
  ? string
  : T extends (...values: infer V) => string
    ? (...values: V) => string
    : { readonly [K in keyof T]: Sentences<T[K]> };

type Loaders = typeof english.parts;
export type PartName = keyof Loaders;
type WordsOf<P extends PartName> = Sentences<Awaited<ReturnType<Loaders[P]>>>;

/** The words of every page. */
export type Frame = Sentences<typeof english.frame>;
/** How the words of each part are loaded. */
export type Parts = { readonly [P in PartName]: () => Promise<WordsOf<P>> };
export type Messages = Frame &
  WordsOf<"receipts"> &
  Sentences<typeof englishPackage> &
  Sentences<typeof englishTimes> &
  WordsOf<"distributed"> &
  WordsOf<"doctor"> &
  WordsOf<"labs"> &
  Sentences<typeof import("./en/diagnosis")> &
  WordsOf<"explain"> &
  WordsOf<"find"> &
  WordsOf<"home"> &
  WordsOf<"learn"> &
  WordsOf<"interview"> &
  Sentences<typeof import("./en/interviewing")> &
  Sentences<typeof import("./en/interview_report")> &
  WordsOf<"lost"> &
  Sentences<typeof import("./en/outcome")> &
  Sentences<typeof import("./en/palette")> &
  Sentences<typeof import("./en/paths")> &
  WordsOf<"problem"> &
  WordsOf<"problems"> &
  Sentences<typeof import("./en/question")> &
  WordsOf<"questions"> &
  WordsOf<"review"> &
  WordsOf<"seldom"> &
  WordsOf<"settings"> &
  WordsOf<"xray">;
