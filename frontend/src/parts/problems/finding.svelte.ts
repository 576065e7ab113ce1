/** What the search of the top bar finds; loaded with its list, once somebody goes to the box. */

import { api } from "$lib/api";
import { otherLang, path, said, t } from "$lib/i18n";
import { router } from "$lib/router.svelte";
import type { SearchHit, SearchResult } from "$lib/types";
import { DEBOUNCE_MS } from "./keys";

const MOST = 8;
export type Option = {
  readonly href: string;
  readonly number?: string;
  readonly label: string;
  /** The same in the other language. */
  readonly beside?: string;
};

const listing = (text: string) => path(`/problems?${new URLSearchParams({ q: text })}`);

export class Finding {
  text = $state("");
  /** The option the arrow keys stand on; -1 is the box itself. */
  active = $state(-1);
  #result = $state.raw<SearchResult>();
  #hasFailed = $state(false);
  #isOpen = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort = new AbortController();

  #query = $derived(this.text.trim());
  readonly isShown = $derived(this.#isOpen && this.#query !== "" && (this.#result !== undefined || this.#hasFailed));
  readonly options: readonly Option[] = $derived.by(() => {
    if (!this.isShown || !this.#result) return [];
    const { hits, near } = this.#result;
    if (hits.length === 0) return near.map((word) => ({ href: listing(said(word)), label: said(word) }));
    return [
      ...hits.slice(0, MOST).map(optionOf),
      { href: listing(this.#query), label: t.find.all(this.#query) },
    ];
  });
  /** What is said instead of hits, or above those of a corrected query. */
  readonly trouble = $derived.by(() => {
    if (this.#hasFailed) return t.find.failed;
    if (this.#result?.corrected) return t.find.corrected(this.#result.corrected);
    if (this.#result?.hits.length !== 0) return "";
    return this.#result.near.length > 0 ? t.find.near : t.find.nothing;
  });

  type(text: string): void {
    this.text = text;
    this.open();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), DEBOUNCE_MS);
  }

  open(): void {
    this.#isOpen = true;
    this.active = -1;
  }

  close(): void {
    this.#isOpen = false;
    this.active = -1;
  }

  /** Go to an option, or to the list of all results. */
  follow(href = listing(this.#query)): void {
    this.leave();
    void router.go(href);
  }

  press(event: KeyboardEvent): void {
    // The keys of an input method are its own.
    if (event.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      const stops = this.options.length + 1;
      if (this.isShown) this.active = ((this.active + 1 + by + stops) % stops) - 1;
      else this.open();
    } else if (event.key === "Enter" && this.#query) {
      this.follow(this.options[this.active]?.href);
    } else if (event.key === "Escape") {
      if (this.isShown) this.close();
      else this.leave();
    } else return;
    event.preventDefault();
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.text = "";
    this.#result = undefined;
    this.close();
  }

  async #ask(): Promise<void> {
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    let result: SearchResult | undefined;
    let hasFailed = false;
    try {
      const query = new URLSearchParams({ q: this.#query, limit: String(MOST) });
      if (this.#query) result = await api.get<SearchResult>(`/api/search?${query}`, { signal });
    } catch {
      hasFailed = true;
    }
    // An answer to words that are not there any more.
    if (signal.aborted) return;
    this.#result = result;
    this.#hasFailed = hasFailed;
    this.active = -1;
  }
}

function optionOf({ kind, id, title }: SearchHit): Option {
  const label = said(title);
  if (kind === "problem") return { href: path(`/problems/${id}`), number: id, label };
  if (kind === "chapter") return { href: path(`/learn/${id}`), label, beside: title[otherLang] };
  return { href: listing(label), label, beside: title[otherLang] };
}
