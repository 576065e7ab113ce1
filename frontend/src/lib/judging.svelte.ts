/** One submission on its way from the click to the verdict. */

import { api, ApiError, ServerGone } from "./api";
import { follow, pauseFor } from "./follow";
import type { Words } from "./i18n";
import { forgetUnfinished, type Kind, recall, remember, rememberRun } from "./unfinished";
import type {
  Accepted, Aftermath, CaseResult, JudgeEvent, JobState, Plan, Report, StageStart, Submission, Tried,
} from "./types";
import type { Span } from "./work_clock.svelte";

export type { Kind };
export type Phase =
  | "idle" | "sending" | "queued" | "running" | "verdict" | "done" | "cancelled" | "failed";
/** Why there is no verdict. `code` is the server's; "gone" and "unknown" are the page's own. */
export type Trouble = {
  readonly code: string;
  readonly message: Words | string;
  readonly hint: Words | string;
};
/** Why judging began again or has not begun; all of them pass by themselves. */
export type Delay = "starting" | "interrupted" | "anew";

const CLOCK_MS = 100;
const RESEND_MS = 1_000;
const BUSY: readonly Phase[] = ["sending", "queued", "running", "verdict"];

export class Judging {
  phase = $state<Phase>("idle");
  kind = $state<Kind>("submit");
  /** The id of the submission; undefined until the server has taken it. */
  id = $state<string>();
  problem = $state<string>();
  /** The text that is judged; undefined until it is known. */
  source = $state.raw<string>();
  /** Which submission is shown, counted: the same one, shown again, has another number. */
  turn = $state(0);
  /** How many jobs are before this one. */
  ahead = $state(0);
  plan = $state.raw<Plan>([]);
  cases = $state.raw<readonly CaseResult[]>([]);
  /** What the judge did and does, with the beginning of each on the judge's clock. */
  stages = $state.raw<readonly StageStart[]>([]);
  report = $state.raw<Report>();
  aftermath = $state.raw<Aftermath | null>(null);
  trouble = $state.raw<Trouble>();
  delay = $state<Delay>();
  /** Since the click. */
  elapsedMs = $state(0);
  isCancelling = $state(false);
  /** It comes from the history: nothing arrives, nothing is announced. */
  isPast = $state(false);

  isTrying = $state(false);
  tried = $state.raw<Tried>();
  tryTrouble = $state.raw<Trouble>();

  readonly isBusy = $derived(BUSY.includes(this.phase));
  readonly stage = $derived(this.stages.at(-1)?.name);
  /** How long the present stage takes so far: what remains of the time since the click. */
  readonly stageMs = $derived(
    Math.max(0, this.elapsedMs - ((this.stages.at(-1)?.atMs ?? 0) - (this.stages[0]?.atMs ?? 0))),
  );
  /** The stages that are over, and how long each took. */
  readonly spans = $derived(
    this.stages.slice(1).map((next, at) => {
      const { name, atMs } = this.stages[at] ?? next;
      return { name, ms: Math.max(0, next.atMs - atMs) };
    }),
  );
  #abort = new AbortController();
  /** The submission of the history that is asked for and not here yet. */
  #wanted: string | undefined;
  /** Those whose submission gave way to a later one. */
  readonly #replaced = new WeakSet<AbortSignal>();
  #tryAbort = new AbortController();
  #clock: ReturnType<typeof setInterval> | undefined;

  /** Send a program to the judge; what was judged before it is cancelled. */
  async submit(problem: string, source: string, kind: Kind, spans: readonly Span[] = []): Promise<void> {
    if (this.isBusy) void this.cancel();
    this.#replaced.add(this.#abort.signal);
    const at = Date.now();
    const signal = this.#begin({ phase: "sending", problem, kind, at });
    this.source = source;
    const body = { source, kind, key: crypto.randomUUID(), spans };
    await this.#guard(signal, async () => {
      const id = await this.#send(`/api/problems/${problem}/submissions`, body, signal);
      if (this.#replaced.has(signal)) return void stop(id);
      remember(problem, { id, kind, at });
      signal.throwIfAborted();
      this.id = id;
      if (this.isCancelling) void this.cancel();
      this.phase = "queued";
      await this.#follow(id, signal);
    });
  }

  /** Go on following what a reload interrupted; false when there was nothing. */
  resume(problem: string): boolean {
    const left = recall(problem);
    if (!left) return false;
    const signal = this.#begin({ phase: "queued", problem, kind: left.kind, at: left.at });
    this.id = left.id;
    void this.#guard(signal, async () => {
      await this.#follow(left.id, signal);
      await this.#learnSource(left.id, signal);
    });
    return true;
  }

  /** Show a submission of the history; one that is still judged is followed. */
  async show(id: string): Promise<void> {
    if (id === (this.#wanted ?? this.id) && this.phase !== "failed") return;
    const signal = this.#begin({ phase: this.phase, at: Date.now() });
    this.#wanted = id;
    this.isPast = true;
    await this.#guard(signal, async () => {
      const found = await api.get<Submission>(`/api/submissions/${id}`, { signal });
      const isOver = isFinal(found.state);
      // It is this tab's own, left for the history a moment ago.
      if (!isOver && recall(found.problem_id)?.id === id) return void this.resume(found.problem_id);
      this.#forget();
      this.id = id;
      this.source = found.source;
      this.problem = found.problem_id;
      this.kind = found.kind;
      this.isPast = isOver;
      this.plan = found.plan;
      if (found.report) this.#take(found.report);
      this.phase = !isOver ? "queued" : found.state === "cancelled" ? "cancelled" : "done";
      if (!isOver) await this.#follow(id, signal);
    });
  }

  /** Ask the judge to stop; the end of the stream says that it did. */
  async cancel(): Promise<void> {
    this.isCancelling = true;
    if (this.id !== undefined) await stop(this.id);
  }

  /** Away with a verdict of the history: back to what is being judged, or to the empty slab. */
  clear(): void {
    const { problem } = this;
    this.#abort.abort();
    clearInterval(this.#clock);
    this.#forget();
    this.phase = "idle";
    if (problem !== undefined) this.resume(problem);
  }

  /** Stop following, e.g. when the page is left; the judge goes on. */
  leave(): void {
    this.#abort.abort();
    this.#tryAbort.abort();
    clearInterval(this.#clock);
  }

  /** Evaluate an expression of the learner's own beside their program; nothing is judged. */
  async tryInput(problem: string, source: string, expression: string): Promise<void> {
    this.#tryAbort.abort();
    const { signal } = (this.#tryAbort = new AbortController());
    this.isTrying = true;
    try {
      const tried = await api.post<Tried>(`/api/problems/${problem}/try`, { source, expression }, { signal });
      if (signal.aborted) return;
      this.tried = tried;
      this.tryTrouble = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.tried = undefined;
      this.tryTrouble = troubleOf(error);
    } finally {
      if (!signal.aborted) this.isTrying = false;
    }
  }

  #begin(start: { phase: Phase; problem?: string; kind?: Kind; at: number }): AbortSignal {
    this.#abort.abort();
    this.#abort = new AbortController();
    clearInterval(this.#clock);
    if (start.kind) {
      this.#forget();
      this.kind = start.kind;
      this.problem = start.problem;
      const tick = () => (this.elapsedMs = Math.max(0, Date.now() - start.at));
      tick();
      this.#clock = setInterval(tick, CLOCK_MS);
    }
    this.phase = start.phase;
    return this.#abort.signal;
  }

  /** Send it until it is taken: the key makes it harmless to ask twice. */
  async #send(path: string, body: object, signal: AbortSignal): Promise<string> {
    for (;;) {
      try {
        // Not given up with the signal: what the server has taken must be known, to cancel or resume it.
        return (await api.post<Accepted>(path, body)).id;
      } catch (error) {
        if (!(error instanceof ServerGone) || this.isCancelling) throw error;
        await pauseFor(RESEND_MS, signal);
      }
    }
  }

  async #follow(id: string, signal: AbortSignal): Promise<void> {
    for await (const event of follow(id, signal)) this.#on(event);
    if (this.problem === undefined) return;
    forgetUnfinished(this.problem, id);
    if (this.kind === "run") rememberRun(this.problem, id);
  }

  /** Ask for the text of a submission that this page did not send; without it no line is marked. */
  async #learnSource(id: string, signal: AbortSignal): Promise<void> {
    try {
      const { source } = await api.get<Submission>(`/api/submissions/${id}`, { signal });
      signal.throwIfAborted();
      this.source = source;
    } catch (error) {
      // The verdict is there all the same.
      if (!(error instanceof ApiError) && !(error instanceof ServerGone)) throw error;
    }
  }

  async #guard(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Somebody else uses this slab by now.
      if (signal.aborted) return;
      const isRefused = error instanceof ApiError;
      if (isRefused && this.problem !== undefined && this.id !== undefined) {
        forgetUnfinished(this.problem, this.id);
      }
      this.trouble = troubleOf(error);
      this.phase = this.isCancelling ? "cancelled" : "failed";
    }
    if (!signal.aborted) clearInterval(this.#clock);
  }

  #on(event: JudgeEvent): void {
    switch (event.type) {
      case "interrupted":
        this.#restart("interrupted");
        this.stages = [];
        break;
      case "starting":
        // Whoever waits is told of the judge; whose cases are lost is told of these.
        this.#restart(this.phase === "queued" ? (this.delay ?? "starting") : "anew");
        this.stages = [];
        break;
      case "queued":
        this.#restart(this.cases.length ? "anew" : this.delay);
        this.ahead = event.ahead;
        // A judge that started has its place in the list already.
        this.stages = [
          ...this.stages.filter(({ name }) => name === "starting"),
          { name: "waiting", atMs: event.at_ms ?? 0 },
        ];
        break;
      case "stage":
        this.stages = [...this.stages, { name: event.stage, atMs: event.at_ms }];
        if (event.stage === "starting") this.delay ??= "starting";
        else {
          if (this.delay === "starting") this.delay = undefined;
          if (this.phase === "queued") this.phase = "running";
        }
        break;
      case "started":
        this.#restart(this.cases.length ? "anew" : this.delay);
        if (this.delay === "starting") this.delay = undefined;
        this.plan = event.plan;
        this.phase = "running";
        break;
      case "case":
        // Each case once, whatever a cut connection repeats.
        this.cases = [...this.cases.filter((each) => each.index !== event.index), event];
        break;
      case "verdict":
        this.#take(event.report);
        this.phase = "verdict";
        break;
      case "misconception":
        if (this.report) {
          const { misconception, symptoms = [] } = event;
          this.report = { ...this.report, misconception, symptoms };
        }
        break;
      case "smallest":
        if (this.report) this.report = { ...this.report, smallest: event.smallest };
        break;
      case "cancelled":
        this.phase = "cancelled";
        break;
      case "error":
        this.trouble = event;
        this.phase = "failed";
        break;
      case "done":
        this.#take(event.report);
        this.aftermath = event.aftermath;
        this.phase = "done";
    }
  }

  #take(report: Report): void {
    this.report = report;
    this.cases = report.cases;
    this.delay = undefined;
  }

  #restart(delay: Delay | undefined): void {
    this.phase = "queued";
    this.delay = delay;
    this.ahead = 0;
    this.cases = [];
    this.report = undefined;
  }

  #forget(): void {
    this.#restart(undefined);
    this.turn++;
    this.#wanted = undefined;
    this.id = undefined;
    this.source = undefined;
    this.plan = [];
    this.stages = [];
    this.aftermath = null;
    this.trouble = undefined;
    this.elapsedMs = 0;
    this.isCancelling = false;
    this.isPast = false;
  }
}

async function stop(id: string): Promise<void> {
  // If it is not heard, the verdict comes; nothing is lost.
  await api.post(`/api/submissions/${id}/cancel`).catch(() => undefined);
}

function isFinal(state: JobState): boolean {
  return state === "done" || state === "cancelled";
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof ApiError) return error.fault;
  if (error instanceof ServerGone) return { code: "gone", message: "", hint: "" };
  return { code: "unknown", message: String(error), hint: "" };
}
