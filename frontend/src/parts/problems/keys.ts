/** The keys of searching that more than one part listens to. */

/** Whether `/` was pressed as a command, and not as a letter of something that is written. */
export function isSlash(event: KeyboardEvent): boolean {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.isComposing || event.defaultPrevented) return false;
  const target = event.target as HTMLElement;
  return !(target.isContentEditable || target.matches("input, textarea, select"));
}

/** A server refuses a longer query; nobody types one. */
export const MAX_QUERY = 200;

/** Wait for this long after the last key before asking. */
export const DEBOUNCE_MS = 60;
