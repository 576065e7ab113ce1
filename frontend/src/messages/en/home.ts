/** The words of the home page. */

import { counted } from "./number";

type Known = { readonly known: number; readonly count: number };
type Tally = { readonly proven: number; readonly tried: number; readonly count: number };

export const home = {
  title: "Home",
  next: {
    heading: "Next",
    begin: "Begin",
    goOn: "Go on",
    again: "Write it again",
    another: "Another",
    minutes: (minutes: number) => `about ${minutes} min`,
  },
  due: {
    heading: "Due today",
    review: "Review",
    caption: "The curve estimates memory. Its end is the chance to write it unaided now. The line is 0.90.",
    chance: (chance: string) => `chance now ${chance}`,
    more: (count: number) => `${count} more`,
    none: "Nothing is due today.",
    noneUntil: (day: string) => `Nothing is due today. The next review: ${day}.`,
  },
  map: {
    heading: "Where I stand",
    lead: "Gold is what the judge has proven. As memory fades, the streak fades.",
    caption: "Problems by stars and by chapter, in their parts",
    byStars: "By stars",
    byChapter: "By chapter",
    all: "All problems",
    of: ({ proven, count }: Tally) => `${proven} of ${count} proven`,
    marks: ({ proven, tried, count }: Tally) =>
      `${proven} proven, ${tried} tried, ${count - proven - tried} not started`,
    stars: (stars: number) => counted(stars, "star", "stars"),
    fading: "fading",
    known: ({ known, count }: Known) => `${known} of ${count} known`,
    absent: "not here yet",
    absentParts: (names: string) => `Not here yet: ${names}`,
    none: "none",
    comma: ", ",
    key: "One mark is one problem; a problem can serve several chapters",
    problem: (number: string, title: string, status: string) => `${number} ${title}: ${status}`,
    provenAt: (strength: string) => `proven, remembered ${strength}`,
    status: { proven: "proven", tried: "tried", untouched: "not started" },
  },
  latest: {
    heading: "Latest submissions",
    none: "There are no submissions yet.",
    verdict: "Verdict",
    problem: "Problem",
    time: "Time",
    when: "When",
    state: {
      queued: "queued",
      running: "judging",
      cancelled: "cancelled",
      interrupted: "interrupted",
      done: "no verdict",
    },
  },
};
