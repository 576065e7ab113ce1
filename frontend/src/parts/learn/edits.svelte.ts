/** What the learner has changed of the cells of a chapter; kept in this browser, like what is typed elsewhere. */

export class Edits {
  /** The text of each edited cell, by its number. */
  texts = $state.raw<Readonly<Record<number, string>>>({});
  readonly #prefix: string;

  constructor(chapter: string, cells: Iterable<number>) {
    this.#prefix = `torchstone.chapter.${chapter}.`;
    const kept = [...cells].map((cell) => [cell, this.#recall(cell)] as const);
    this.texts = Object.fromEntries(kept.filter((each): each is readonly [number, string] => each[1] !== null));
  }

  /** Keep a text; the cell's own is none of the learner's. */
  keep(cell: number, text: string, own: string): void {
    const { [cell]: _, ...others } = this.texts;
    this.texts = text === own ? others : { ...others, [cell]: text };
    try {
      if (text === own) localStorage.removeItem(this.#prefix + cell);
      else localStorage.setItem(this.#prefix + cell, text);
    } catch {
      // Without storage a reload shows the cell as it stands.
    }
  }

  /** The edits of a cell and of those that run before it, as the server takes them. */
  upTo(cell: number): { cell: number; source: string }[] {
    return Object.entries(this.texts)
      .map(([number, source]) => ({ cell: Number(number), source }))
      .filter((each) => each.cell <= cell);
  }

  #recall(cell: number): string | null {
    try {
      return localStorage.getItem(this.#prefix + cell);
    } catch {
      return null;
    }
  }
}
