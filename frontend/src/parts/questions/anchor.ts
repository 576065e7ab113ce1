/** Where a cell or a source stands on the page, as the end of an address. */

export const anchorOf = (kind: "cell" | "source", name: string) =>
  `${kind}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
