/** Marks at lines of the files of a package. */

import type { LineMark } from "../editor/marks";

/** Without a file it is in no particular one. */
export type FileMark = LineMark & { readonly file?: string | null };
