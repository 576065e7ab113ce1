/** Whether the server answers, and how its judge is; looks by itself while the page is visible. */

import type { Status } from "./types";

const POLL_MS = 20_000;
const WARMING_MS = 700;
const RETRY_MS = 1_500;

class Connection {
  state = $state<"here" | "gone" | "locked">("here");
  status = $state.raw<Status>();
  /** When the server was last heard of. */
  heardAt = $state.raw(new Date());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #returned = new Set<() => void>();

  start(): void {
    document.addEventListener("visibilitychange", () => this.look());
    addEventListener("online", () => this.look());
    this.look();
  }

  /** Look at the server now, and again after a while. */
  look(): void {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    void this.#ask().finally(() => {
      const isWarming = this.status !== undefined && !this.status.host.ready;
      const pause = this.state !== "here" ? RETRY_MS : isWarming ? WARMING_MS : POLL_MS;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.look(), pause);
    });
  }

  /** Call a function each time the server is back. */
  onReturn(call: () => void): () => void {
    this.#returned.add(call);
    return () => this.#returned.delete(call);
  }

  lost(): void {
    if (this.state === "gone") return;
    this.state = "gone";
    this.look();
  }

  locked(): void {
    this.state = "locked";
  }

  found(): void {
    this.heardAt = new Date();
    if (this.state === "here") return;
    this.state = "here";
    for (const call of this.#returned) call();
  }

  async #ask(): Promise<void> {
    try {
      const response = await fetch("/api/status", { credentials: "same-origin" });
      if (response.status === 401) return this.locked();
      if (!response.ok) throw new Error(response.statusText);
      this.status = (await response.json()) as Status;
      this.found();
    } catch {
      this.state = "gone";
    }
  }
}

export const connection = new Connection();
