/** Where the palette leads: what is known without asking the server, and what a query means. */

import { t } from "$lib/i18n";

export const TABS = ["statement", "submissions", "editorial", "notes"] as const;
export const PAGES = ["home", "learn", "questions", "problems", "review", "receipts", "labs", "interview", "xray", "explain", "doctor", "distributed", "settings"] as const;
export const SETTINGS = ["language", "theme", "keys", "text", "progress"] as const;
export type Tab = (typeof TABS)[number];

const plain = (text: string) => text.normalize("NFKC").toLowerCase().trim();

/** Whether the letters of a query stand in a name in this order; of two letters they must stand together. */
export function fits(query: string, name: string): boolean {
  const [asked, text] = [plain(query).replace(/\s+/g, ""), plain(name).replace(/\s+/g, "")];
  if (text.includes(asked)) return true;
  if (asked.length < 3) return false;
  let at = 0;
  for (const letter of text) if (letter === asked[at]) at++;
  return at === asked.length && text[0] === asked[0];
}

/** Names are known in both languages. */
export function anyFits(query: string, names: readonly string[]): boolean {
  return names.some((name) => fits(query, name));
}

/** Take the tab from a query such as `03 notes`; the rest is searched for. */
export function splitTab(query: string): { readonly rest: string; readonly tab: Tab | undefined } {
  const parts = query.trim().split(/\s+/);
  const last = parts.at(-1) ?? "";
  if (parts.length < 2 || last.length < 2) return { rest: query.trim(), tab: undefined };
  const tab = TABS.find((name) => t.palette.tabs[name].some((word) => plain(word).startsWith(plain(last))));
  return tab ? { rest: parts.slice(0, -1).join(" "), tab } : { rest: query.trim(), tab: undefined };
}
