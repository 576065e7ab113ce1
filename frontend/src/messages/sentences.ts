/** What a catalogue must hold: English gives the shape, and Chinese is checked against it. */

import type * as english from "./en";

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
  WordsOf<"find"> &
  WordsOf<"home"> &
  WordsOf<"lost"> &
  WordsOf<"problem"> &
  WordsOf<"problems"> &
  WordsOf<"review"> &
  WordsOf<"seldom"> &
  WordsOf<"settings">;
