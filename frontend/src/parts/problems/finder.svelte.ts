/** The search of the list: asks while one types, and keeps the old answer until the new one is here. */

import { onDestroy } from "svelte";

import { api } from "$lib/api";
import { Resource } from "$lib/resource.svelte";
import type { SearchResult } from "$lib/types";
import { DEBOUNCE_MS } from "./keys";

// Every problem and term that matches, not the first few: the list shows them all.
const MOST_HITS = 100;

export class Finder {
  text = $state("");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #results: Resource<SearchResult | undefined>;

  constructor(text: string) {
    this.text = text;
    this.#results = new Resource((signal) => this.#ask(signal));
    onDestroy(() => clearTimeout(this.#timer));
  }

  /** What was found; undefined while nothing is searched for or no answer has come yet. */
  get result(): SearchResult | undefined {
    return this.text.trim() ? this.#results.value : undefined;
  }

  get error(): Error | undefined {
    return this.text.trim() ? this.#results.error : undefined;
  }

  /** Search for other words, once no key has been pressed for a moment. */
  type(text: string): void {
    this.text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.ask(), DEBOUNCE_MS);
  }

  ask(): void {
    clearTimeout(this.#timer);
    void this.#results.load();
  }

  async #ask(signal: AbortSignal): Promise<SearchResult | undefined> {
    const text = this.text.trim();
    if (!text) return undefined;
    const query = new URLSearchParams({ q: text, limit: String(MOST_HITS) });
    return api.get<SearchResult>(`/api/search?${query}`, { signal });
  }
}
