/** Follow a submission while it is judged, across cuts of the connection. */

import { send, ServerGone } from "./api";
import { connection } from "./connection.svelte";
import type { JudgeEvent } from "./types";

const FIRST_PAUSE_MS = 300;
const LAST_PAUSE_MS = 3_000;
const FINAL = new Set<string>(["done", "cancelled", "error"]);

type Message = { readonly id: string; readonly data: string };

/**
 * Yield the events of a submission until its last one; a cut stream is taken up where it ended.
 *
 * A "queued" or "started" after cases means that judging began anew: forget what came before.
 * Throws what the server refuses (`ApiError`), and `AbortError` when the signal says so.
 */
export async function* follow(id: string, signal: AbortSignal): AsyncGenerator<JudgeEvent> {
  let seen = "";
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    try {
      for await (const message of messagesOf(id, seen, signal)) {
        pause = FIRST_PAUSE_MS;
        if (message.id) seen = message.id;
        const event = eventOf(message.data);
        if (event) yield event;
        if (event && FINAL.has(event.type)) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServerGone)) throw error;
    }
    signal.throwIfAborted();
    await pauseFor(pause, signal);
    pause = Math.min(pause * 2, LAST_PAUSE_MS);
  }
}

/** Wait, but not longer than the server is away. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    const forget = connection.onReturn(end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

async function* messagesOf(id: string, seen: string, signal: AbortSignal): AsyncGenerator<Message> {
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (seen) headers["Last-Event-ID"] = seen;
  const response = await send("POST", `/api/submissions/${id}/events`, {}, { signal, headers });
  if (!response.body) return;
  const reader = response.body.getReader();
  const parse = new EventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parse.feed(value);
    }
  } catch (error) {
    signal.throwIfAborted();
    // The stream broke in the middle: whether the server is gone is for the connection to find out.
    connection.look();
    throw new ServerGone(String(error));
  } finally {
    // Whoever stops listening must not keep the server talking.
    reader.cancel().catch(() => undefined);
  }
}

function eventOf(data: string): JudgeEvent | undefined {
  try {
    const event: unknown = JSON.parse(data);
    const isEvent = typeof event === "object" && event !== null && "type" in event;
    return isEvent ? (event as JudgeEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Read Server-Sent Events out of bytes that come in pieces of any size. */
export class EventParser {
  #decoder = new TextDecoder();
  #rest = "";
  #id = "";
  #data: string[] = [];

  /** Take the next bytes; yield what is complete with them. */
  *feed(bytes: Uint8Array): Generator<Message> {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    for (;;) {
      // A CR at the very end may be half of a CRLF, so it waits.
      const end = /\r\n|\n|\r(?!$)/.exec(this.#rest);
      if (!end) return;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      if (line !== "") this.#field(line);
      else if (this.#data.length) {
        yield { id: this.#id, data: this.#data.join("\n") };
        this.#data = [];
      }
    }
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    // A line that begins with a colon is a comment: the heartbeat.
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.#id = value;
  }
}
