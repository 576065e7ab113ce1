/** Unsaved text in this browser: an entry for each tab, so that two tabs never overwrite each other's. */

/** Text that the server does not have yet. */
export type Entry = {
  readonly text: string;
  /** The version it was written upon; null: not known. */
  readonly base: string | null;
  /** What was sent without an answer: perhaps the server has it. */
  readonly sent: string | null;
  /** The version it was written upon is somebody else's, so saving puts that aside. */
  readonly aside: boolean;
  /** When the last key was pressed. */
  readonly at: number;
};
/** An entry of a tab that is gone, and its place in the browser; empty: this tab's own. */
export type Orphan = { readonly key: string; readonly entry: Entry };

const PREFIX = "torchstone.draft.";
// A tab that is being reloaded lets go of its name within this time; a copied tab never does.
const RELOAD_MS = 400;
// Where a browser cannot say which tabs live, an entry as old as this is taken for a dead one's.
const STALE_MS = 10_000;

export class Kept {
  readonly #prefix: string;
  readonly #key: string;
  readonly #tab: string;
  /** Entries whose text this tab has taken over. */
  #adopted: string[] = [];

  private constructor(name: string, tab: string) {
    this.#prefix = `${PREFIX}${name}.`;
    this.#tab = tab;
    this.#key = this.#prefix + tab;
  }

  static async open(name: string): Promise<Kept> {
    return new Kept(name, await thisTab());
  }

  /** The entry of this tab: it was reloaded, or came back. */
  own(): Entry | null {
    return read(this.#key);
  }

  /** The entries of tabs that are gone, newest first. */
  async orphans(): Promise<Orphan[]> {
    const living = await livingTabs();
    const orphans = keys(this.#prefix).flatMap((key) => {
      const tab = key.slice(this.#prefix.length);
      const entry = tab === this.#tab ? null : read(key);
      if (entry === null) return [];
      const isDead = living ? !living.has(tab) : Date.now() - entry.at > STALE_MS;
      return isDead ? [{ key, entry }] : [];
    });
    return orphans.toSorted((first, second) => second.entry.at - first.entry.at);
  }

  /** Go on with the text of a tab that is gone; its entry goes when the text is safe under this tab's name. */
  adopt(orphan: Orphan): void {
    if (orphan.key !== "") this.#adopted.push(orphan.key);
  }

  /** Keep the text; false when the browser has no room or refuses. */
  keep(entry: Entry): boolean {
    try {
      localStorage.setItem(this.#key, JSON.stringify(entry));
    } catch {
      return false;
    }
    this.#forgetAdopted();
    return true;
  }

  /** The text is on the server; a newer one that was kept meanwhile stays. */
  drop(text: string): void {
    const entry = read(this.#key);
    if (entry === null || entry.text === text) forget(this.#key);
    this.#forgetAdopted();
  }

  #forgetAdopted(): void {
    this.#adopted.forEach(forget);
    this.#adopted = [];
  }
}

/** Remove an entry for good. */
export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing has nothing to remove.
  }
}

function keys(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

function read(key: string): Entry | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const { text, base, sent, at } = value as Record<string, unknown>;
  const isText = (each: unknown) => each === null || typeof each === "string";
  return typeof text === "string" && isText(base) && isText(sent) && typeof at === "number";
}

const TAB = "torchstone.tab";
let tab: Promise<string> | undefined;

/** The name of this tab: the same after a reload, another one in a copy of the tab. */
function thisTab(): Promise<string> {
  tab ??= (async () => {
    const known = sessionItem();
    if (known !== null && (await hold(known))) return known;
    const drawn = crypto.getRandomValues(new Uint32Array(2)).join("-");
    sessionItem(drawn);
    await hold(drawn);
    return drawn;
  })();
  return tab;
}

function sessionItem(value?: string): string | null {
  try {
    if (value !== undefined) sessionStorage.setItem(TAB, value);
    return sessionStorage.getItem(TAB);
  } catch {
    return null;
  }
}

/** Hold the name of this tab while it lives: the browser itself lets go when the tab closes or crashes. */
function hold(name: string): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager };
  // Only secure contexts have locks; 127.0.0.1 is one.
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const held = () => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    const signal = AbortSignal.timeout(RELOAD_MS);
    locks.request(`${TAB}.${name}`, { signal }, held).catch(() => resolve(false));
  });
}

async function livingTabs(): Promise<Set<string> | null> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return null;
  const { held = [] } = await locks.query();
  return new Set(held.flatMap(({ name }) => (name?.startsWith(`${TAB}.`) ? [name.slice(TAB.length + 1)] : [])));
}
