/** The search of the top bar; loaded with its list. */

import { counted } from "./number";

export const find = {
  all: (text: string) => `All results for “${text}”`,
  nothing: "Nothing found",
  near: "Nothing found. Close to it:",
  corrected: (query: string) => `Nothing for these letters. Results for “${query}”:`,
  failed: "The search does not answer",
  hits: (count: number) => counted(count, "result", "results"),
  none: {
    /** The filters, as a list of words. */
    nothing: (wanted: string) => `Nothing matches ${wanted}.`,
    quoted: (text: string) => `“${text}”`,
    and: " and ",
    drop: {
      text: "Without the words",
      state: "Without the state",
      stars: "Without the stars",
      part: "Without the part",
      concept: "Without the concept",
      kind: "Without the kind",
      mark: "Without the marks",
      path: "Without the path",
    },
    gives: (drop: string, count: number) => `${drop}: ${counted(count, "problem", "problems")}`,
    near: "Close to it:",
    empty: "There are no problems here yet.",
  },
  terms: { heading: "Terms", also: (names: string) => `Also: ${names}`, more: (count: number) => counted(count, "more term", "more terms") },
  broken: {
    heading: (count: number) =>
      `${counted(count, "folder of a problem is", "folders of problems are")} broken and left out`,
    lead: "Other problems are not affected.",
  },
};
