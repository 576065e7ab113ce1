/** Days as the server writes them. */

/** Give the midnight here of a day such as `2026-11-20`; `new Date` alone would take Greenwich's. */
export function dayOf(date: string): Date {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return new Date(year, month - 1, day);
}
