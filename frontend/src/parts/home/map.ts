/** The lines of the map: the problems of each number of stars and of each chapter, by part. */

import { path, said, t } from "$lib/i18n";
import type { MapProblem, Overview } from "$lib/types";

const MAX_STARS = 5;
// Below this chance a streak is called fading, since its colour alone must not say so.
const FADING = 0.7;

export type Line = {
  readonly number: number;
  readonly name: string;
  /** The list of its problems. */
  readonly href: string;
  readonly total: Tally;
  /** The questions of the chapter, which are known as problems are written; null for other lines. */
  readonly known: Known | null;
  /** One for each part. */
  readonly cells: readonly Cell[];
};
type Known = { readonly known: number; readonly count: number };
type Cell = { readonly problems: readonly MapProblem[]; readonly total: Tally };
export type Tally = {
  readonly proven: number;
  readonly tried: number;
  readonly count: number;
  /** How well what is proven is remembered, 0 to 1; null while nothing is. */
  readonly strength: number | null;
  readonly isFading: boolean;
};

export function tally(problems: readonly MapProblem[]): Tally {
  const proven = problems.filter((each) => each.status === "proven");
  const sum = proven.reduce((before, each) => before + (each.strength ?? 1), 0);
  const strength = proven.length > 0 ? sum / proven.length : null;
  return {
    proven: proven.length,
    tried: problems.filter((each) => each.status === "tried").length,
    count: problems.length,
    strength,
    isFading: strength !== null && strength < FADING,
  };
}

export function linesByStars(overview: Overview): Line[] {
  return Array.from({ length: MAX_STARS }, (_, index) => {
    const stars = index + 1;
    const problems = overview.problems.filter((each) => each.stars === stars);
    return lineOf(overview, problems, "stars", stars, t.home.map.stars(stars));
  });
}

export function linesByChapter(overview: Overview): Line[] {
  return overview.chapters.map(({ number, name }) => {
    const problems = overview.problems.filter((each) => each.chapters.includes(number));
    const asked = overview.known.find((each) => each.chapter === number);
    const known = asked ? { known: asked.num_known, count: asked.num_questions } : null;
    return { ...lineOf(overview, problems, "concept", number, said(name)), known };
  });
}

function lineOf(overview: Overview, all: readonly MapProblem[], filter: string, number: number, name: string): Line {
  const cells = overview.parts.map((part) => {
    const problems = all.filter((each) => each.part === part.number);
    return { problems, total: tally(problems) };
  });
  return { number, name, href: path(`/problems?${filter}=${number}`), total: tally(all), known: null, cells };
}

/** Say what a mark stands for. */
export function nameOf({ id, title, status, strength }: MapProblem): string {
  const words = t.home.map;
  const isMeasured = status === "proven" && strength !== null;
  return words.problem(id, said(title), isMeasured ? words.provenAt(strength.toFixed(2)) : words.status[status]);
}

/** How strong the gold of something proven is drawn; never so weak that it could be taken for a gap. */
export function goldOf(strength: number | null): number {
  return Math.max(0.45, Math.min(1, strength ?? 1));
}
