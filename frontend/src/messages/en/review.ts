/** The words of the review page. */

export const review = {
  title: "Review",
  lead: "Memory fades. Each problem comes back about the day when your chance to write it unaided falls to 90%.",
  due: "Due today",
  later: "Later",
  again: "Write it again",
  /** Beside a title: what the percentage is. */
  chance: (percent: number) => `${percent}% chance now`,
  percent: (percent: number) => `${percent}%`,
  since: (day: string) => `due since ${day}`,
  dueOn: (day: string) => `due ${day}`,
  written: (day: string) => `reviewed ${day}`,
  why: "Why this date",
  questions: {
    due: "Questions due today",
    none: "No question is due today.",
    later: (count: number) => `${count} more, on other days`,
    answered: (day: string) => `answered ${day}`,
  },
  /** The rating of FSRS, from 1 to 4. */
  rating: ["Again", "Hard", "Good", "Easy"],
  unknownRating: (rating: number) => `Rating ${rating}`,
  none: {
    due: "Nothing is due today.",
    next: (day: string) => `Next, ${day}:`,
    later: "No review is planned after today.",
    title: "Nothing to review yet",
    how: "The judge plans a review when it accepts your solution. Tries, hints and time make the rating; you do not rate yourself. The rating sets the day when the problem comes back.",
    begin: "Choose a problem",
  },
  curve: {
    name: (title: string) => `Forgetting curve of ${title}`,
    caption: (percent: number, level: number) =>
      `The estimated chance to write it unaided, by days after the review: ${percent}% now. It is due about the day when the curve crosses ${level}%, in whole days.`,
    beyond: " Only the ends of the dotted part are known.",
    now: (percent: number) => `now ${percent}%`,
    due: (day: string) => `due ${day}`,
    nowIsDue: (percent: number) => `now, due: ${percent}%`,
    day: "Day",
    chance: "Chance",
  },
  facts: {
    chance: "Chance now",
    stability: "Stability",
    stabilityIs: (days: string) => `${days} d, then 90%`,
    difficulty: "Difficulty",
    difficultyIs: (value: string) => `${value} of 10`,
    moved: "Moved by",
    movedIs: (rating: string, day: string) => `${rating}, ${day}`,
  },
  log: {
    title: "All its reviews",
    when: "When",
    rating: "Rating",
    reason: "Why",
    due: "Then due",
    undone: (day: string) => `undone ${day}`,
    empty: "The log is empty.",
  },
  undo: {
    ask: "Undo the last review",
    back: (day: string) => `The date goes back to ${day}. Your submission stays, but it no longer counts for a review.`,
    leaves: "This was its only review: it leaves the plan until the judge accepts a new solution. Your submission stays, but it no longer counts for a review.",
    yes: "Undo it",
    no: "Keep it",
    busy: "Undoing",
    done: (title: string, day: string) => `The review is undone. ${title} is due ${day} again.`,
    left: (title: string) => `The review is undone. ${title} has left the plan.`,
    failed: "The review was not undone",
    gone: "The server did not answer, so the review may or may not be undone. This list shows it when the server is back.",
  },
  rated: {
    title: "How it is rated",
    lead: "By what happened; you do not rate yourself:",
    /** In the order of `rating`. */
    rules: [
      "the solution was seen",
      "the third hint, or more than two tries",
      "accepted within two tries",
      "first try, no hint, within the planned minutes",
    ],
  },
  table: "Table",
  /** Between a heading and what it heads. */
  colon: ": ",
};
