/** Something that is fetched: its value, its failure, and whether it is worth saying that it loads. */

import { onDestroy } from "svelte";

import { connection } from "./connection.svelte";

// Shorter waits are not shown: a skeleton that flashes is worse than none.
const PATIENCE_MS = 200;

export class Resource<T> {
  value = $state.raw<T>();
  error = $state.raw<Error>();
  /** It has not come for a while. */
  isLate = $state(false);
  #fetch: (signal: AbortSignal) => Promise<T>;
  #abort = new AbortController();

  /** Fetch now, again when the server comes back after a failure, and stop with the component. */
  constructor(fetch: (signal: AbortSignal) => Promise<T>) {
    this.#fetch = fetch;
    const forget = connection.onReturn(() => this.error && void this.load());
    onDestroy(() => {
      forget();
      this.#abort.abort();
    });
    void this.load();
  }

  /** Fetch anew; the old value stays until the new one is here. */
  async load(): Promise<void> {
    this.#abort.abort();
    const abort = (this.#abort = new AbortController());
    const timer = setTimeout(() => (this.isLate = this.value === undefined), PATIENCE_MS);
    try {
      const value = await this.#fetch(abort.signal);
      if (abort.signal.aborted) return;
      this.value = value;
      this.error = undefined;
    } catch (error) {
      if (!abort.signal.aborted) this.error = error as Error;
    } finally {
      clearTimeout(timer);
      if (this.#abort === abort) this.isLate = false;
    }
  }
}
