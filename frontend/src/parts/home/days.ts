/** Days as the server writes them. */

/** Give the midnight here of a day such as `2026-11-20`; without a time it would be Greenwich's. */
export function dayOf(date: string): Date {
  return new Date(`${date}T00:00`);
}
