/** An opened run: what is known of it, which finding is chosen, and which part of its time is shown. */

import { api, ApiError } from "../api";
import type { DoctorFinding, Flame, FoundEvent, Gap, ListedGap, Picture, Reported, TraceOverview } from "../types";

type Span = { readonly begin: number; readonly end: number };
// A picture holds so much more on either side as is shown, so that moving has something to show.
const MARGIN = 0.5;
const COLUMNS_MOST = 4096;
const MANY_STEPS = 40;
// A shorter time has no digits left.
const LEAST_US = 0.05;

export class Run {
  reported = $state.raw<Reported>();
  /** The finding whose evidence is shown; undefined for none. */
  chosen = $state<number>();
  span = $state.raw<Span>({ begin: 0, end: 1 });
  picture = $state.raw<Picture>()!;
  gap = $state.raw<Gap>();
  account = $state(0);
  gaps = $state.raw<readonly ListedGap[]>([]);
  /** The server does not hold it any more, or does not answer. */
  isGone = $state(false);
  readonly whole: Span;
  #columns = 1200;
  #isAsking = false;
  #asked = "";
  #at: string;

  constructor(
    readonly id: string,
    readonly overview: TraceOverview,
  ) {
    const { start_us, duration_us } = overview.window;
    this.whole = this.span = { begin: start_us, end: start_us + duration_us };
    this.picture = overview.picture;
    this.#at = `/api/doctor/traces/${id}`;
  }

  get findings(): readonly DoctorFinding[] {
    return this.reported?.report.findings ?? [];
  }

  get evidence() {
    return this.chosen === undefined ? undefined : this.reported?.links.evidence[this.chosen];
  }

  /** Ask the rules; throws what the server says. */
  async judge(): Promise<void> {
    this.reported = await api.get<Reported>(`${this.#at}/report`);
    void this.loadGaps(0);
    this.choose(this.findings[0]?.recoverable_ms ? 0 : undefined);
    // Of many steps the whole is a grey block.
    if (this.overview.window.steps > MANY_STEPS) this.focus();
  }

  /** Show the evidence of a finding in all charts. */
  choose(finding: number | undefined): void {
    this.chosen = finding;
    this.#asked = "";
    void this.#draw();
  }

  /** Show the part of the time where the chosen evidence is. */
  focus(): void {
    const [begin, end] = this.evidence?.focus ?? [];
    if (begin !== undefined && end !== undefined) this.show(begin, end);
  }

  show(begin: number, end: number): void {
    const { whole } = this;
    const length = Math.min(Math.max(end - begin, LEAST_US), whole.end - whole.begin);
    const first = Math.min(Math.max((begin + end - length) / 2, whole.begin), whole.end - length);
    this.span = { begin: first, end: first + length };
    void this.#draw();
  }

  /** Zoom about a moment, which stays where it is. */
  zoom(factor: number, about = (this.span.begin + this.span.end) / 2): void {
    const { begin, end } = this.span;
    const length = Math.min((end - begin) * factor, this.whole.end - this.whole.begin);
    const first = about - ((about - begin) * length) / (end - begin);
    this.show(first, first + length);
  }

  /** Move by a share of what is shown. */
  move(share: number): void {
    const by = share * (this.span.end - this.span.begin);
    const most = share < 0 ? this.whole.begin - this.span.begin : this.whole.end - this.span.end;
    const taken = share < 0 ? Math.max(by, most) : Math.min(by, most);
    this.show(this.span.begin + taken, this.span.end + taken);
  }

  setColumns(columns: number): void {
    this.#columns = Math.max(columns, 64);
    void this.#draw();
  }

  async loadGaps(account: number): Promise<void> {
    this.gaps = (await this.#ask<{ gaps: ListedGap[] }>(`gaps/${account}`))?.gaps ?? [];
    this.account = account;
  }

  /** Choose a gap and say why it is charged as it is; with `isShown`, zoom to it. */
  async explain(number: number, isShown: boolean, account = this.account): Promise<void> {
    const gap = await this.#ask<Gap>(`gaps/${account}/${number}`);
    if (!gap) return;
    this.gap = gap;
    this.account = account;
    if (!isShown) return;
    const room = (gap.end - gap.begin) * 0.25;
    this.show(gap.begin - room, gap.end + room);
  }

  async find(track: number, moment: number): Promise<FoundEvent | undefined> {
    return (await this.#ask<{ found: FoundEvent | null }>(`found?track=${track}&moment=${moment}`))?.found ?? undefined;
  }

  flame(thread: number, span: Span): Promise<Flame | undefined> {
    const query = new URLSearchParams({ thread: `${thread}`, begin: `${span.begin}`, end: `${span.end}`, ...this.#finding });
    return this.#ask<Flame>(`flame?${query}`);
  }

  get #finding(): Record<string, string> {
    return this.chosen === undefined ? {} : { finding: `${this.chosen}` };
  }

  /** Fetch the picture of what is shown; one at a time, the last that was asked for comes. */
  async #draw(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      for (;;) {
        const { begin, end } = this.span;
        const room = MARGIN * (end - begin);
        const from = Math.max(begin - room, this.whole.begin);
        const to = Math.min(end + room, this.whole.end);
        const columns = Math.min(COLUMNS_MOST, Math.round((this.#columns * (to - from)) / (end - begin)));
        const query = `${new URLSearchParams({ begin: `${from}`, end: `${to}`, columns: `${columns}`, ...this.#finding })}`;
        if (query === this.#asked) return;
        this.#asked = query;
        const picture = await this.#ask<Picture>(`picture?${query}`);
        if (picture) this.picture = picture;
      }
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask<T>(what: string): Promise<T | undefined> {
    try {
      const answer = await api.get<T>(`${this.#at}/${what}`);
      this.isGone = false;
      return answer;
    } catch (error) {
      // What is on the page stays there; the page says that it cannot look further.
      this.isGone = !(error instanceof ApiError) || error.fault.status === 404;
      return undefined;
    }
  }
}
