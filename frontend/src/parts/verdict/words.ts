/** Sentences that several parts of the slab make from a report. */

import { t } from "$lib/i18n";
import { formatRatio } from "$lib/figures/numbers";
import type { CaseResult, Report, VerdictCode } from "$lib/types";

/** Name a group of cases in plain words; one that is not known stays as it is. */
export function groupName(group: string): string {
  const names: Readonly<Record<string, string>> = t.verdict.group;
  return Object.hasOwn(names, group) ? (names[group] ?? group) : group;
}

export function groupNames(groups: readonly string[]): string {
  return groups.map(groupName).join(t.verdict.list);
}

/** Say what a verdict is; of a wrong answer, which side of it is wrong. */
export function verdictWords(code: VerdictCode, aspect: string | null): string {
  const aspects: Readonly<Record<string, string>> = t.verdict.aspect;
  const words: string | undefined = aspect !== null && Object.hasOwn(aspects, aspect) ? aspects[aspect] : undefined;
  return words ?? t.verdict.code[code] ?? code;
}

/** Say what a run of the samples came to. */
export function runWords(code: VerdictCode, aspect: string | null): string {
  return code === "AC" ? t.verdict.samplesPass : verdictWords(code, aspect);
}

/** How many cases are wrong, as far as judging came. */
export function score(report: Report): string {
  const { cases, planned } = report;
  const wrong = cases.filter((each) => each.code !== "AC");
  if (!cases.length) return report.group === null ? t.verdict.notBegun : t.verdict.inFirst;
  if (cases.length < planned) return t.verdict.stopped(cases.length, planned);
  if (!wrong.length) return t.verdict.allWithin(cases.length);
  const isBeyond = wrong.every(isBeyondTolerance);
  return (isBeyond ? t.verdict.beyond : t.verdict.wrongOf)(wrong.length, cases.length);
}

export function isBeyondTolerance({ ratio }: CaseResult): boolean {
  return ratio === "inf" || (ratio !== null && ratio > 1);
}

/** The measured case with the largest error. */
export function worstCase(cases: readonly CaseResult[]): CaseResult | undefined {
  const size = ({ ratio }: CaseResult) => (ratio === "inf" ? Infinity : (ratio ?? -1));
  const [worst] = [...cases].sort((a, b) => size(b) - size(a));
  return worst && worst.ratio !== null ? worst : undefined;
}

/** Say the error of a case, or that nothing was measured. */
export function ratioWords(ratio: CaseResult["ratio"]): string {
  return ratio === null ? t.verdict.unmeasured : formatRatio(ratio);
}

/** Split a sentence at the one word that is set as code. */
export function around(sentence: (word: string) => string): readonly [before: string, after: string] {
  const [before = "", after = ""] = sentence("\0").split("\0");
  return [before, after];
}
