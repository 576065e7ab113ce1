/** The words of the page in the one language of this document; changing it loads a new document. */

import type { Messages, PartName, Parts } from "../messages/sentences";

export type Lang = "en" | "zh";
/** A sentence in both languages, as the server sends it. */
export type Words = { readonly en: string; readonly zh: string };

export const lang: Lang = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
export const otherLang: Lang = lang === "zh" ? "en" : "zh";

/** All sentences; those of the frame are there from the start, those of a part come with it. */
export const t = {} as Messages;
let parts: Parts;

/** Load the words of the frame. */
export async function loadMessages(): Promise<void> {
  const words = lang === "zh" ? await import("../messages/zh") : await import("../messages/en");
  parts = words.parts;
  Object.assign(t, words.frame);
}

/** Load the words of a part. */
export async function loadPart(name: PartName): Promise<void> {
  Object.assign(t, await parts[name]());
}

/** Pick the language of this document. */
export function said(words: Words): string {
  return words[lang];
}

/** The path of a page in a language: `path("/problems")` is `/en/problems`. */
export function path(rest: string, language: Lang = lang): string {
  return `/${language}${rest === "/" ? "/" : rest}`;
}

const locale = lang === "zh" ? "zh-CN" : "en-GB";
/** Make what says a moment in one form. */
export function formatOf(form: Intl.DateTimeFormatOptions): (moment: Date) => string {
  return new Intl.DateTimeFormat(locale, form).format;
}
const sayDate = formatOf({ day: "numeric", month: "long" });
const sayDateAndYear = formatOf({ dateStyle: "long" });
export const sayTime = formatOf({ hour: "2-digit", minute: "2-digit" });
export const sayClock = formatOf({ timeStyle: "medium" });
const sayWeekday = formatOf({ weekday: "long" });
const relativeFormat = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** Whole days from today to a moment; negative before today. */
export function daysUntil(moment: Date, now = new Date()): number {
  const midnight = (date: Date) => new Date(date).setHours(0, 0, 0, 0);
  return Math.round((midnight(moment) - midnight(now)) / 86_400_000);
}

/** Say a day as a person would: today, yesterday, Wednesday, 3 December. */
export function sayDay(moment: Date): string {
  const days = daysUntil(moment);
  if (Math.abs(days) <= 1) return relativeFormat.format(days, "day");
  if (days < 0 && days > -7) return sayWeekday(moment);
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  return (isThisYear ? sayDate : sayDateAndYear)(moment);
}

/** Say a day and, when it is near, the time: `today 09:12`. */
export function sayMoment(moment: Date): string {
  return Math.abs(daysUntil(moment)) <= 1
    ? `${sayDay(moment)} ${sayTime(moment)}`
    : sayDay(moment);
}

/** Say a duration in its fitting unit: `41 ms`, `1.4 s`. */
export function sayDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
