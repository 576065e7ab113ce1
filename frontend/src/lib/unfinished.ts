/** Remember which submission of a problem is being judged, so that a reload can go on following it. */

export type Kind = "submit" | "run";
export type Unfinished = {
  readonly id: string;
  readonly kind: Kind;
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
};

// A tab's own: another tab judges its own submission of the same problem.
const nameOf = (problem: string): string => `torchstone.judging.${problem}`;

export function remember(problem: string, unfinished: Unfinished): void {
  try {
    sessionStorage.setItem(nameOf(problem), JSON.stringify(unfinished));
  } catch {
    // Without storage a reload shows the verdict in the history only.
  }
}

export function recall(problem: string): Unfinished | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(nameOf(problem)) ?? "null") as Unfinished | null;
    return typeof found?.id === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}

const nameOfRun = (problem: string): string => `torchstone.run.${problem}`;

/** Remember the last run of the samples of this tab, so that a reload shows it again. */
export function rememberRun(problem: string, id: string): void {
  try {
    sessionStorage.setItem(nameOfRun(problem), id);
  } catch {
    // Without storage a reload shows the last verdict.
  }
}

export function recallRun(problem: string): string | null {
  try {
    return sessionStorage.getItem(nameOfRun(problem));
  } catch {
    return null;
  }
}

/** Forget a submission, unless a later one has taken its place. */
export function forgetUnfinished(problem: string, id: string): void {
  if (recall(problem)?.id !== id) return;
  sessionStorage.removeItem(nameOf(problem));
}
