/** Simulate ranks on the server; leaving ends the simulation. */

import { send, ServerGone } from "../api";
import { connection } from "../connection.svelte";
import { EventParser } from "../follow";
import type { SimulationEvent, SimulationQuestion } from "../types";

/** Yield the events of a simulation; throws `ServerGone` when the stream breaks, `AbortError` when the signal says so. */
export async function* simulate(question: SimulationQuestion, signal: AbortSignal): AsyncGenerator<SimulationEvent> {
  const headers = { Accept: "text/event-stream" };
  const response = await send("POST", "/api/distributed/simulate", question, { signal, headers });
  const reader = response.body!.getReader();
  const parse = new EventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const message of parse.feed(value)) yield JSON.parse(message.data) as SimulationEvent;
    }
  } catch (error) {
    signal.throwIfAborted();
    connection.look();
    throw new ServerGone(String(error));
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
