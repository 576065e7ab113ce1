/** Have the server run a program under the extractors; leaving ends the program. */

import { send, ServerGone } from "../api";
import { connection } from "../connection.svelte";
import { EventParser } from "../follow";
import type { XrayEvent, XrayQuestion } from "../types";

/** Yield the events of a run; throws `ServerGone` when the stream breaks, `AbortError` when the signal says so. */
export async function* examine(question: XrayQuestion, signal: AbortSignal): AsyncGenerator<XrayEvent> {
  const headers = { Accept: "text/event-stream" };
  const response = await send("POST", "/api/xray/examine", question, { signal, headers });
  const reader = response.body!.getReader();
  const parse = new EventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new ServerGone("/api/xray/examine");
      for (const message of parse.feed(value)) {
        const event = JSON.parse(message.data) as XrayEvent;
        yield event;
        if (event.type === "end" || event.type === "error") return;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    connection.look();
    throw error instanceof SyntaxError ? error : new ServerGone(String(error));
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
