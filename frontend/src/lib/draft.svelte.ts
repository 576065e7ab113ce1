/** The text of a problem: kept in this browser at every key, saved to the learner's file when the keys rest. */

import { onDestroy } from "svelte";

import { api, ApiError, type Fault } from "./api";
import { connection } from "./connection.svelte";
import { type Entry, forget, Kept, type Orphan } from "./kept";
import type { Draft } from "./types";

/** The solution, or the learner's notes on it. */
export type TextKind = "draft" | "notes";
export type DraftState =
  /** Nothing is written yet. */
  | "clean"
  | "unsaved"
  | "saving"
  | "saved"
  /** The server does not answer: kept in this browser, sent when it is back. */
  | "offline"
  /** The server will not save it; `fault` says why. */
  | "refused"
  /** The file holds another text by now; nothing is saved until one is chosen. */
  | "conflict";
/** Another text in the place of this one, and who wrote it: another tab, or something outside this page. */
export type Conflict = { readonly source: "tab" | "file"; readonly other: Draft };

const QUIET_MS = 400;
const RETRY_MS = 5_000;
const PATIENCE_MS = 15_000;
// A submission waits no longer than this for its draft.
const FLUSH_MS = 2_000;
// A browser finishes requests of a closed page up to 64 KiB in all.
const KEEPALIVE_CHARS = 15_000;

export class DraftKeeper {
  text = $state("");
  state = $state<DraftState>("clean");
  /** What the server has was asked once; before, the text may still change by itself. */
  isLoaded = $state(false);
  savedAt = $state.raw<Date | null>(null);
  /** When the last key was kept in this browser. */
  keptAt = $state.raw<Date | null>(null);
  /** False: this browser has no room, and unsaved text lives in this tab alone. */
  isKept = $state(true);
  fault = $state.raw<Fault | null>(null);
  conflict = $state.raw<Conflict | null>(null);
  /** Unsaved text of a tab that is gone, to take or to leave. */
  offer = $state.raw<Orphan | null>(null);

  readonly #path: string;
  readonly #name: string;
  readonly #close = new AbortController();
  readonly #channel = new BroadcastChannel("torchstone.drafts");
  #kept: Kept | undefined;
  #offers: Orphan[] = [];
  /** The version on the server that the text is written upon, and its text; null: not known. */
  #base: string | null = null;
  #saved: string | null;
  /** Sent, and not answered. */
  #sent: string | null = null;
  /** The next save puts what is there aside. */
  #aside = false;
  /** Given up for another text; should undo bring it back, that other text is put aside. */
  #declined: string | null = null;
  /** The last version that another tab said it saved. */
  #heard: string | null = null;
  /** What is on the server must be seen before anything is saved. */
  #isStale = true;
  #saving: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Load the text; stop with the component. `initial` stands there until it is loaded. */
  constructor(problem: string, kind: TextKind, initial = "") {
    this.#path = `/api/problems/${problem}/${kind}`;
    this.#name = `${problem}.${kind}`;
    this.text = this.#saved = initial;
    this.#channel.onmessage = ({ data }: MessageEvent<Said>) => data.path === this.#path && this.#hear(data.draft);
    const { signal } = this.#close;
    addEventListener("pagehide", () => void this.#save(), { signal });
    addEventListener("beforeunload", (event) => this.isLosable && event.preventDefault(), { signal });
    document.addEventListener("visibilitychange", () => this.#turn(), { signal });
    // A terminal beside the browser hides nothing.
    addEventListener("focus", () => this.#turn(), { signal });
    signal.addEventListener("abort", connection.onReturn(() => void this.#save()));
    onDestroy(() => this.#stop());
    void this.#open();
  }

  /** The server does not have this text. */
  get isDirty(): boolean {
    return this.text !== this.#saved;
  }

  /** Closing this tab would lose text. */
  get isLosable(): boolean {
    return this.isDirty && !this.isKept;
  }

  /** Take what was typed. */
  edit(text: string): void {
    if (text === this.text) return;
    this.text = text;
    if (text === this.#declined) this.#aside = true;
    if (this.conflict) return this.#keep();
    if (this.isDirty || this.#saving) {
      if (this.state !== "offline") this.state = this.#saving ? "saving" : "unsaved";
      this.#keep();
      this.#saveSoon(QUIET_MS);
    } else {
      this.#clean();
    }
  }

  /** Save now. Never fails: the text is kept, and travels with a submission anyway. */
  async flush(): Promise<void> {
    const wait = new Promise((resolve) => setTimeout(resolve, FLUSH_MS));
    const save = async () => {
      await this.#save();
      // The one that was under way may have held an older text.
      if (this.state === "unsaved") await this.#save();
    };
    await Promise.race([save(), wait]);
  }

  /** Save this text in the place of the other; that one is put aside under a dated name. */
  async useThis(): Promise<void> {
    if (!this.conflict) return;
    this.#base = this.conflict.other.version;
    this.#aside = true;
    this.conflict = null;
    this.state = "unsaved";
    this.#keep();
    await this.#save();
  }

  /** Take the other text; undo in the editor brings this one back. */
  useOther(): void {
    if (!this.conflict) return;
    this.#declined = this.text;
    this.#take(this.conflict.other);
    this.#offerNext();
  }

  /** Take the text of the tab that is gone; undo in the editor brings this one back. */
  takeOffer(): void {
    if (!this.offer) return;
    const orphan = this.offer;
    this.#kept?.adopt(orphan);
    this.offer = null;
    this.edit(orphan.entry.text);
    this.#offerNext();
  }

  /** Throw the text of the tab that is gone away. */
  leaveOffer(): void {
    if (this.offer) forget(this.offer.key);
    this.offer = null;
    this.#offerNext();
  }

  async #open(): Promise<void> {
    this.#kept = await Kept.open(this.#name);
    const own = this.#kept.own();
    this.#offers = await this.#kept.orphans();
    // What is typed in this very moment stays, and what this tab had before is offered.
    if (own && this.isDirty) this.#offers.unshift({ key: "", entry: own });
    if (this.isDirty) this.#keep();
    else if (own) this.#resume(own);
    await this.#save();
  }

  /** Go on where this tab was when it was reloaded. */
  #resume({ text, base, sent, aside, at }: Entry): void {
    this.text = text;
    this.#base = base;
    this.#saved = null;
    this.#sent = sent;
    this.#aside = aside === true;
    this.keptAt = new Date(at);
    this.state = "unsaved";
  }

  /** Put the text into this browser. */
  #keep(): void {
    const at = Date.now();
    const entry = { text: this.text, base: this.#base, sent: this.#sent, aside: this.#aside, at };
    if (!this.#kept) return;
    this.isKept = this.#kept.keep(entry);
    if (this.isKept) this.keptAt = new Date(at);
  }

  #saveSoon(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#close.signal.aborted) this.#timer = setTimeout(() => void this.#save(), ms);
  }

  /** Save what is unsaved; one request at a time. */
  #save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#saving ??= this.#attempt().finally(() => {
      this.#saving = undefined;
      if (this.state === "saving") this.state = "unsaved";
      if (this.state === "unsaved" && this.isDirty) this.#saveSoon(QUIET_MS);
    });
    return this.#saving;
  }

  async #attempt(): Promise<void> {
    try {
      // Nothing is known yet, or the answer to the last save was lost.
      if (this.#isStale || this.#sent !== null) await this.#look();
      if (!this.isDirty || this.conflict) return;
      await this.#put(this.text);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #look(): Promise<void> {
    const draft = await api.get<Draft>(this.#path, { signal: AbortSignal.timeout(PATIENCE_MS) });
    this.#meet(draft);
    this.#isStale = false;
    this.isLoaded = true;
    this.#offerNext();
  }

  async #put(text: string): Promise<void> {
    this.state = "saving";
    this.#sent = text;
    this.#keep();
    const body = { text, base: this.#base, put_aside: this.#aside };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const draft = await api.put<Draft>(this.#path, body, { signal, keepalive: text.length < KEEPALIVE_CHARS });
    this.#settle({ ...draft, text });
    this.#channel.postMessage({ path: this.#path, draft: { ...draft, text } } satisfies Said);
  }

  /** Compare what is on the server with what is here. */
  #meet(there: Draft): void {
    const isOurs = there.text === this.#sent;
    const isKnown = there.version === this.#base || there.text === this.#saved;
    this.#sent = null;
    if (there.text === this.text || isOurs) return this.#settle(there);
    if (!this.isDirty) return this.#take(there);
    // Somebody else wrote there, and it would be lost.
    if (!isKnown && there.exists) return this.#collide(there);
    this.#base = there.version;
    this.#saved = there.text;
    this.#keep();
  }

  #collide(other: Draft): void {
    this.conflict = { source: other.version === this.#heard ? "tab" : "file", other };
    this.state = "conflict";
    this.#keep();
  }

  /** The server has this text; what was typed since is still unsaved. */
  #settle(draft: Draft): void {
    this.#base = draft.version;
    this.#saved = draft.text;
    this.#sent = null;
    this.#aside = false;
    this.fault = null;
    this.conflict = null;
    this.savedAt = draft.saved_at === null ? null : new Date(draft.saved_at);
    if (this.isDirty) {
      this.state = "unsaved";
      this.#keep();
    } else this.#clean();
  }

  #clean(): void {
    clearTimeout(this.#timer);
    this.state = this.savedAt ? "saved" : "clean";
    this.fault = null;
    this.isKept = true;
    this.#kept?.drop(this.text);
  }

  /** Show what another wrote in the place of this text. */
  #take(draft: Draft): void {
    const mine = this.text;
    this.text = draft.text;
    this.#settle(draft);
    this.#kept?.drop(mine);
  }

  /** Another tab saved this text. */
  #hear(draft: Draft): void {
    this.#heard = draft.version;
    if (this.conflict) this.conflict = { source: "tab", other: draft };
    else if (this.isLoaded && !this.isDirty && !this.#saving) this.#take(draft);
  }

  #fail(error: unknown): void {
    if (error instanceof ApiError && error.fault.status === 409) {
      this.#sent = null;
      const { other } = error.body as { other?: Draft };
      // The same version again would be refused again.
      if (other === undefined || other.version === this.#base) this.#refuse(error.fault);
      else this.#meet(other);
    } else if (error instanceof ApiError && error.fault.status < 500 && error.fault.status !== 401) {
      this.#sent = null;
      this.#refuse(error.fault);
    } else {
      // Perhaps it was saved and the answer lost: `#sent` stays.
      if (this.isDirty || !this.isLoaded) this.state = "offline";
      if (this.isDirty) this.#keep();
      this.fault = null;
      this.#saveSoon(RETRY_MS);
    }
  }

  #refuse(fault: Fault): void {
    this.state = "refused";
    this.fault = fault;
  }

  /** Deal with the texts of tabs that are gone, until one needs an answer. */
  #offerNext(): void {
    while (!this.offer && this.#offers.length > 0) {
      const orphan = this.#offers.shift()!;
      const { text, base, sent, aside } = orphan.entry;
      const isNext = base === this.#base || (sent !== null && sent === this.#saved);
      if (text === this.text || text === this.#saved) forget(orphan.key);
      else if (isNext && !this.isDirty) {
        // Nothing was written since: it is simply what comes next.
        this.#kept?.adopt(orphan);
        this.#aside = aside === true;
        this.edit(text);
      } else this.offer = orphan;
    }
  }

  /** The tab is shown, hidden, or worked in again. */
  #turn(): void {
    if (document.hidden) void this.#save();
    // Meanwhile the file may have been written in another program.
    else if (!this.isDirty && !this.#saving) {
      this.#isStale = true;
      void this.#save();
    }
  }

  #stop(): void {
    void this.#save();
    this.#close.abort();
    clearTimeout(this.#timer);
    // The save under way still tells the other tabs.
    void this.#saving?.finally(() => this.#channel.close());
  }
}

type Said = { readonly path: string; readonly draft: Draft };
