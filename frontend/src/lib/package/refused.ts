/** Why files cannot be taken: nothing of them is, and the text stays as it is. */

export type RefusalKey =
  | "path" | "twice" | "many" | "large" | "binary" | "head" | "none" | "zip" | "zipKind" | "unread";

export class Refused extends Error {
  constructor(
    readonly key: RefusalKey,
    /** The file, or the limit. */
    readonly word: string,
    readonly line = 0,
  ) {
    super(`${key} ${word}`);
  }
}
