/** Return a list without an entry that it has, and with one that it has not. */
export function toggled(list: readonly string[], entry: string): readonly string[] {
  return list.includes(entry) ? list.filter((each) => each !== entry) : [...list, entry];
}
