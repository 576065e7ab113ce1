/** Which problems are shown: the choices, how they stand in the address, and how many each would give. */

import { path, said, t } from "$lib/i18n";
import type { ProblemList, ProblemRow, StatusOf } from "$lib/types";

export const DIMENSIONS = ["state", "stars", "part", "concept", "kind", "mark", "path"] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** The chosen value of each dimension that is narrowed. */
export type Filters = Readonly<Partial<Record<Dimension, string>>>;
export type Choice = {
  readonly value: string | null;
  readonly label: string;
  /** What a screen reader says instead of the label. */
  readonly name?: string;
  /** How many problems it gives, beside the other filters. */
  readonly count: number;
};

const STATES: readonly StatusOf[] = ["untouched", "tried", "proven"];

export function valuesOf(list: ProblemList, row: ProblemRow, dimension: Dimension): readonly string[] {
  switch (dimension) {
    case "state":
      return [row.status];
    case "stars":
      return [String(row.stars)];
    case "part":
      return [String(row.part)];
    case "concept":
      return row.chapters.map(String);
    case "kind":
      return [row.kind];
    case "mark":
      return [row.is_marked ? "yes" : "no"];
    case "path":
      return list.paths.filter((path) => path.steps.some((step) => step.problem === row.id)).map((path) => path.id);
  }
}

export function readFilters(query: URLSearchParams): Filters {
  const pairs = DIMENSIONS.map((each) => [each, query.get(each)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value));
}

export function queryOf(filters: Filters, text: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const each of DIMENSIONS) if (filters[each]) query.set(each, filters[each]);
  if (text) query.set("q", text);
  return query;
}

export function addressOf(filters: Filters, text: string): string {
  const query = queryOf(filters, text).toString();
  return path("/problems") + (query ? `?${query}` : "");
}

/** Choose another value of a dimension; null drops it. */
export function withChoice(filters: Filters, dimension: Dimension, value: string | null): Filters {
  const { [dimension]: _, ...others } = filters;
  return value === null ? others : { ...others, [dimension]: value };
}

export function narrow(list: ProblemList, rows: readonly ProblemRow[], filters: Filters): readonly ProblemRow[] {
  const wanted = Object.entries(filters) as [Dimension, string][];
  return rows.filter((row) => wanted.every(([dimension, value]) => valuesOf(list, row, dimension).includes(value)));
}

/**
 * Give the choices of a dimension that some problem has (every state, though), each with the number it would
 * give beside the other filters. One alone is no choice, unless the address asks for it.
 */
export function choicesOf(
  list: ProblemList,
  found: readonly ProblemRow[],
  filters: Filters,
  dimension: Dimension,
): Choice[] {
  const chosen = filters[dimension];
  const present = list.problems.flatMap((row) => valuesOf(list, row, dimension));
  const values = new Set<string>(dimension === "state" ? STATES : present);
  if (chosen) values.add(chosen);
  if (values.size < 2 && !chosen) return [];
  const others = narrow(list, found, withChoice(filters, dimension, null));
  const choices = inOrder([...values], dimension).map((value) => ({
    value,
    ...labelOf(list, dimension, value),
    count: others.filter((row) => valuesOf(list, row, dimension).includes(value)).length,
  }));
  return [{ value: null, label: t.problems.filter.all, count: others.length }, ...choices];
}

function inOrder(values: string[], dimension: Dimension): string[] {
  const ranks: Partial<Record<Dimension, readonly string[]>> = {
    state: STATES,
    kind: Object.keys(t.problems.kind),
    mark: Object.keys(t.problems.mark),
    path: values,
  };
  const rank = ranks[dimension] ?? [];
  const isNumber = !(dimension in ranks);
  const placeOf = (value: string) => (isNumber ? Number(value) : rank.indexOf(value));
  return values.sort((first, second) => placeOf(first) - placeOf(second));
}

/** Say a value in words; one that is not known is shown as it stands in the address. */
export function nameOf(list: ProblemList, dimension: Dimension, value: string): string {
  const among = (named: readonly { number: number; name: { en: string; zh: string } }[]) => {
    const match = named.find((each) => String(each.number) === value);
    return match && said(match.name);
  };
  const words: Record<Dimension, () => string | undefined> = {
    state: () => own(t.problems.state, value),
    stars: () => (/^[1-5]$/.test(value) ? t.problems.row.stars(Number(value)) : undefined),
    part: () => among(list.parts),
    concept: () => among(list.chapters),
    kind: () => own(t.problems.kind, value),
    mark: () => own(t.problems.mark, value),
    path: () => {
      const match = list.paths.find((each) => each.id === value);
      return match && said(match.title);
    },
  };
  return words[dimension]() ?? value;
}

function labelOf(list: ProblemList, dimension: Dimension, value: string): { label: string; name?: string } {
  const name = nameOf(list, dimension, value);
  const isStars = dimension === "stars" && name !== value;
  return isStars ? { label: "★".repeat(Number(value)), name } : { label: name };
}

function own(words: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined;
}
