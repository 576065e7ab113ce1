/** The text of an answer: kept in this browser at every key, and on the server's disk when the keys rest. */

import { onDestroy } from "svelte";

import { api, ApiError } from "../api";
import { connection } from "../connection.svelte";

const QUIET_MS = 1_000;
const PREFIX = "torchstone.interview.";

export type AnswerState = "empty" | "saving" | "kept" | "offline" | "refused";

export class AnswerText {
  text = $state("");
  state = $state<AnswerState>("empty");
  /** Why the server will not keep it. */
  reason = $state("");
  readonly #address: string;
  readonly #key: string;
  readonly #item: string;
  /** What the server has. */
  #kept: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;
  #isLeft = false;

  /** Begin with what the server has, or with what this browser has and the server may not have. */
  constructor(address: string, id: string, item: string, draft: string | null, starter: string) {
    this.#address = `${address}/draft`;
    this.#item = item;
    this.#key = `${PREFIX}${id}.${item}`;
    this.#kept = draft ?? starter;
    this.text = recall(this.#key) ?? this.#kept;
    this.state = draft === null ? "empty" : "kept";
    if (this.isDirty) this.#later(0);
    const forget = connection.onReturn(() => void this.flush());
    addEventListener("pagehide", this.#hide);
    onDestroy(() => {
      forget();
      removeEventListener("pagehide", this.#hide);
      void this.flush();
    });
  }

  get isDirty(): boolean {
    return this.text !== this.#kept;
  }

  edit(text: string): void {
    if (text === this.text) return;
    this.text = text;
    remember(this.#key, text);
    this.state = "saving";
    this.#later(QUIET_MS);
  }

  /** Take what somebody wrote at another page, unless something is unsaved here. */
  hear(draft: string | null): void {
    if (draft === null || draft === this.#kept || this.isDirty || this.#saving) return;
    this.text = this.#kept = draft;
    this.state = "kept";
  }

  /** Save now; what cannot be saved stays in this browser. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isLeft) return;
    await this.#saving;
    if (!this.isDirty) return;
    this.#saving = this.#save().finally(() => (this.#saving = undefined));
    await this.#saving;
  }

  /** It was handed in: nothing of it is a draft any more. */
  leave(): void {
    this.#isLeft = true;
    clearTimeout(this.#timer);
    remember(this.#key, null);
  }

  readonly #hide = () => void this.flush();

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), ms);
  }

  async #save(): Promise<void> {
    const { text } = this;
    try {
      await api.put(this.#address, { item: this.#item, text }, { keepalive: text.length < 15_000 });
      this.#kept = text;
      if (this.isDirty) return this.#later(QUIET_MS);
      remember(this.#key, null);
      this.state = "kept";
    } catch (error) {
      if (error instanceof ApiError && error.fault.status < 500) {
        this.state = "refused";
        this.reason = error.message;
      } else {
        this.state = "offline";
        this.#later(5 * QUIET_MS);
      }
    }
  }
}

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing: the server has it a second later.
  }
}
