/** The clocks of an interview between two answers of the server, and when to say something. */

import { onDestroy } from "svelte";

import type { InterviewClock } from "../types";

type Read = Pick<InterviewClock, "item_left_s" | "total_left_s" | "running"> & Partial<InterviewClock>;
export type Bell = "item" | "itemOver" | "section" | "whole" | "wholeOver";

const GRACE_S = 30;
const SOON_S = 300;

export class Ticking {
  #read = $state.raw<Read>();
  #readAt = 0;
  #passed = $state(0);
  /** The seconds of the open item in all. */
  #planned = 0;
  #item = "";
  #rung = new Set<string>();
  readonly #onbell: (bell: Bell) => void;
  readonly #onend: () => void;

  /** Tick until the component goes; `onend` is called once for each item whose time and grace are over. */
  constructor(onbell: (bell: Bell) => void, onend: () => void) {
    this.#onbell = onbell;
    this.#onend = onend;
    const timer = setInterval(() => this.#tick(), 1000);
    onDestroy(() => clearInterval(timer));
  }

  /** Take what the server's clocks read. */
  take(read: Read, item: string, planned: number): void {
    this.#read = read;
    this.#readAt = performance.now();
    this.#passed = 0;
    this.#planned = planned;
    if (item !== this.#item) this.#rung = new Set([...this.#rung].filter((each) => each.startsWith("whole")));
    this.#item = item;
    this.#tick();
  }

  readonly item = $derived(this.#left(this.#read?.item_left_s));
  readonly section = $derived(this.#left(this.#read?.section_left_s));
  readonly whole = $derived(this.#left(this.#read?.total_left_s));
  readonly isRunning = $derived(this.#read?.running ?? false);

  #left(read: number | null | undefined): number | null {
    return read === null || read === undefined ? null : read - this.#passed;
  }

  #tick(): void {
    if (!this.#read?.running) return;
    this.#passed = (performance.now() - this.#readAt) / 1000;
    const { item, section, whole } = this;
    if (item !== null) {
      this.#ring("item", item <= 0.2 * this.#planned && item > 0);
      this.#ring("itemOver", item <= 0 && item > -GRACE_S);
      if (item <= -GRACE_S && !this.#rung.has("end")) {
        this.#rung.add("end");
        this.#onend();
      }
      this.#ring("section", section !== null && section <= 0);
    }
    this.#ring("whole", whole !== null && whole <= SOON_S && whole > 0);
    this.#ring("wholeOver", whole !== null && whole <= 0);
  }

  #ring(bell: Bell, isTime: boolean): void {
    if (!isTime || this.#rung.has(bell)) return;
    this.#rung.add(bell);
    this.#onbell(bell);
  }
}

/** Say seconds as minutes and seconds; below nothing, none. */
export function clockWords(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(left / 60)}:${`${left % 60}`.padStart(2, "0")}`;
}
