/** What is looked at: the lines of the program that the code and all figures light up. */

class Link {
  lines = $state.raw<readonly number[]>([]);
  /** The figure that was asked, or undefined for the code. */
  from = $state<string>();
  /** Which of its items. */
  at = $state<number>();

  /** Look at an item of a figure. */
  take(from: string, at: number, lines: readonly number[]): void {
    this.from = from;
    this.at = at;
    this.lines = lines;
  }

  /** Look at a line of the code; undefined for nothing. */
  point(line?: number): void {
    this.from = this.at = undefined;
    this.lines = line === undefined ? [] : [line];
  }

  has(lines: readonly number[]): boolean {
    return lines.some((line) => this.lines.includes(line));
  }
}

export const link = new Link();
