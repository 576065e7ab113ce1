/** A first look at a file before it is sent: what is certainly no exported progress stays here. */

import { t } from "$lib/i18n";

// The server refuses more (app/transfer.py).
const MAX_MIB = 256;
const HEAD_BYTES = 4096;

/** Say why a file cannot be exported progress; null when the server has to read it. */
export async function refuse(file: File): Promise<string | null> {
  const words = t.settings.progress;
  if (file.size === 0) return words.empty(file.name);
  if (file.size > MAX_MIB * 2 ** 20) return words.large(file.name, MAX_MIB);
  let head: string;
  try {
    head = await file.slice(0, HEAD_BYTES).text();
  } catch {
    return words.unreadable(file.name);
  }
  // A JSON object, which is text and so holds no NUL. Editors may have put a mark of byte order before it.
  const isObject = /^\uFEFF?\s*\{/.test(head) && !head.includes("\0");
  return isObject ? null : words.foreign(file.name);
}
