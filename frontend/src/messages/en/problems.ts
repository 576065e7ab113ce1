/** The words of the list of problems and of every search. */

import { counted } from "./number";

export const problems = {
  title: "Problems",
  heading: (count: number) => counted(count, "problem", "problems"),
  standing: (proven: number, tried: number) => `${proven} proven, ${tried} tried`,
  search: {
    label: "Search the problems",
    hint: "Number, name, concept, identifier",
  },
  filter: {
    all: "All",
    more: "More filters",
    moreOn: (count: number) => `More filters, ${count} on`,
    clear: "Show all",
    shown: (count: number, all: number) => `${count} of ${counted(all, "problem", "problems")}`,
  },
  dimension: { state: "State", stars: "Stars", part: "Part", concept: "Concept", kind: "Kind" },
  state: { untouched: "New", tried: "Tried", proven: "Proven" },
  kind: {
    function: "Function",
    module: "Module",
    autograd_function: "autograd.Function",
    class: "Class",
    optimizer: "Optimiser",
    scheduler: "Scheduler",
    loader: "Loader",
    script: "Script",
    distributed: "Distributed",
    cpp: "C++",
    cuda: "CUDA",
    package: "Package",
    operator: "Operator",
  },
  column: {
    number: "No.",
    state: "State",
    problem: "Problem",
    concepts: "Concepts",
    stars: "Stars",
    minutes: "Min",
    best: "Best time",
  },
  row: {
    untouched: "not started",
    tried: "tried",
    draft: "draft",
    due: "due",
    stars: (stars: number) => counted(stars, "star", "stars"),
  },
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
    },
    gives: (drop: string, count: number) => `${drop}: ${counted(count, "problem", "problems")}`,
    near: "Close to it:",
    empty: "There are no problems here yet.",
  },
  terms: { heading: "Terms", more: (count: number) => counted(count, "more term", "more terms") },
  broken: {
    heading: (count: number) =>
      `${counted(count, "folder of a problem is", "folders of problems are")} broken and left out`,
    lead: "Other problems are not affected.",
  },
};
