/** The input that is being written for a problem, so that a reload or a closed tab does not lose it. */

const PREFIX = "torchstone.own.";

/** What was written last: in this tab, or in another one. */
export function recallInput(problem: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + problem) ?? localStorage.getItem(PREFIX + problem);
  } catch {
    return null;
  }
}

export function rememberInput(problem: string, text: string): void {
  try {
    sessionStorage.setItem(PREFIX + problem, text);
    localStorage.setItem(PREFIX + problem, text);
  } catch {
    // A browser that keeps nothing keeps this neither.
  }
}
