/** What Python's parser says of the text while it is written; nothing is judged by it, and nothing is held up. */

import { api, ApiError, ServerGone } from "./api";
import type { SyntaxCheck as Checked, RaisedError } from "./types";

// Long enough that a word is not called wrong while it is typed.
const PAUSE_MS = 600;

export class SyntaxCheck {
  fault = $state.raw<RaisedError | null>(null);
  /** The text that the fault is about. */
  text = $state.raw<string>();
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly problem: string) {}

  /** Look at a text after a pause; an earlier one is given up. */
  look(text: string): void {
    this.stop();
    this.#abort = new AbortController();
    this.#timer = setTimeout(() => void this.#ask(text), PAUSE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #ask(text: string): Promise<void> {
    const { signal } = this.#abort;
    let fault: RaisedError | null = null;
    try {
      fault = (await api.post<Checked>(`/api/problems/${this.problem}/syntax`, { source: text }, { signal })).error;
    } catch (error) {
      // A later text has taken its place, or there is no server: nothing is known of this one.
      if (signal.aborted) return;
      if (!(error instanceof ApiError) && !(error instanceof ServerGone)) throw error;
    }
    if (signal.aborted) return;
    this.fault = fault;
    this.text = text;
  }
}
