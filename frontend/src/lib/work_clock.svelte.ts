/**
 * How long one really works on a problem: the time in which its page is seen and something was done in the last two
 * minutes. The server keeps it in spans, and the rating counts these; what it does not have yet is kept in the browser.
 */

import { api, ApiError, ServerGone } from "./api";
import { connection } from "./connection.svelte";

/** A span of work that has ended. */
export type Span = { readonly seconds: number; readonly until: string };
type Kept = Span & { readonly isOver: boolean };

const PREFIX = "torchstone.work.";
/** Who did nothing for so long is away. */
const AWAY_MS = 120_000;
const TICK_MS = 1_000;
const KEEP_MS = 5_000;
const SPAN_MS = 60_000;
// A tab that works writes its span anew all the time; one this old was left behind by a tab that is gone.
const LOST_MS = 180_000;
const INPUTS = ["keydown", "pointerdown", "pointermove", "wheel", "touchmove", "input"] as const;

export class WorkClock {
  /** Nobody works now: nothing was done for two minutes, or the page is not seen. */
  isAway = $state(true);
  /** Seconds that the server has. */
  #sent = $state(0);
  /** Milliseconds of this tab that it does not have. */
  #unsentMs = $state(0);
  readonly seconds = $derived(this.#sent + Math.floor(this.#unsentMs / 1_000));

  readonly #prefix: string;
  #key: string;
  /** Of the span that is running. */
  #ms = 0;
  #keptAt = 0;
  #touchedAt = 0;
  #tickedAt = 0;
  #isSending = false;
  #isBehind = false;
  #stop: AbortController | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(readonly problem: string) {
    this.#prefix = `${PREFIX}${problem}.`;
    this.#key = this.#newKey();
  }

  /** Count from what the server has. */
  start(known: number): void {
    // The server's number has spans that a submission brought and that are still listed here.
    if (this.#stop && this.#over().length > 0) return void this.#send();
    this.#sent = known;
    if (this.#stop) return;
    this.#stop = new AbortController();
    const options = { capture: true, passive: true, signal: this.#stop.signal } as const;
    const touch = () => (this.#touchedAt = Date.now());
    for (const name of INPUTS) addEventListener(name, touch, options);
    addEventListener("pagehide", () => this.#pause(true), options);
    document.addEventListener("visibilitychange", () => this.#tick(), options);
    touch();
    this.#tickedAt = Date.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#unsentMs = this.#over().reduce((sum, [, { seconds }]) => sum + 1_000 * seconds, 0);
    this.isAway = document.visibilityState !== "visible";
    void this.#send();
  }

  stop(): void {
    if (!this.#stop) return;
    this.#pause();
    this.#stop.abort();
    this.#stop = undefined;
    clearInterval(this.#timer);
    this.isAway = true;
  }

  /** End the span that is running, and list all that the server may not have. */
  take(): Span[] {
    this.#end();
    return this.#over().map(([, { seconds, until }]) => ({ seconds, until }));
  }

  #tick(): void {
    const now = Date.now();
    const gap = now - this.#tickedAt;
    this.#tickedAt = now;
    const isAway = document.visibilityState !== "visible" || now - this.#touchedAt >= AWAY_MS;
    if (isAway && !this.isAway) this.#pause();
    this.isAway = isAway;
    if (isAway) return;
    // A machine that slept, or a timer that was held back, is no work.
    const worked = gap < 0 || gap > KEEP_MS ? TICK_MS : gap;
    this.#ms += worked;
    this.#unsentMs += worked;
    if (this.#ms >= SPAN_MS) this.#pause();
    else if (now - this.#keptAt >= KEEP_MS) this.#keep(false);
  }

  #pause(isLast = false): void {
    this.#end();
    void this.#send(isLast);
  }

  /** Less than a second goes over into the next span. */
  #end(): void {
    if (this.#ms < 1_000) return;
    this.#keep(true);
    this.#ms %= 1_000;
    this.#key = this.#newKey();
  }

  #keep(isOver: boolean): void {
    const seconds = Math.floor(this.#ms / 1_000);
    if (seconds < 1) return;
    this.#keptAt = Date.now();
    const kept: Kept = { seconds, until: new Date().toISOString(), isOver };
    try {
      localStorage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // A browser that keeps nothing loses what the server is not told in time.
    }
  }

  /** One request at a time, for an answer that comes late would take the number back. A page that goes waits for none. */
  async #send(isLast = false): Promise<void> {
    const over = this.#over();
    if (!over.length || connection.state !== "here") return;
    if (this.#isSending && !isLast) return void (this.#isBehind = true);
    this.#isSending = true;
    this.#isBehind = false;
    try {
      if (!(await this.#post(over))) return;
    } finally {
      this.#isSending = false;
    }
    if (this.#isBehind) void this.#send();
  }

  /** Whether the server took the spans. */
  async #post(over: readonly [string, Kept][]): Promise<boolean> {
    const spans = over.map(([, { seconds, until }]) => ({ seconds, until }));
    try {
      // It may outlive the page. A span that is sent twice counts once.
      const path = `/api/problems/${this.problem}/work`;
      this.#sent = (await api.post<{ seconds: number }>(path, { spans }, { keepalive: true })).seconds;
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof ServerGone)) throw error;
      return false;
    }
    for (const [key] of over) forget(key);
    this.#unsentMs = this.#ms + this.#over().reduce((sum, [, { seconds }]) => sum + 1_000 * seconds, 0);
    return true;
  }

  /** The spans of this problem that have ended, those of tabs that are gone as well. */
  #over(): [string, Kept][] {
    return keys(this.#prefix).flatMap((key): [string, Kept][] => {
      const kept = read(key);
      if (!kept || key === this.#key) return [];
      const isLost = Date.now() - Date.parse(kept.until) > LOST_MS;
      return kept.isOver || isLost ? [[key, kept]] : [];
    });
  }

  #newKey(): string {
    return this.#prefix + crypto.randomUUID();
  }
}

function keys(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix)).slice(0, 100);
  } catch {
    return [];
  }
}

function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // As above.
  }
}

function read(key: string): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null") as Partial<Kept> | null;
    const { seconds, until, isOver } = kept ?? {};
    if (!Number.isInteger(seconds) || typeof until !== "string" || Number.isNaN(Date.parse(until))) return null;
    return { seconds: Math.min(Math.max(seconds!, 1), 3_600), until, isOver: isOver === true };
  } catch {
    return null;
  }
}
