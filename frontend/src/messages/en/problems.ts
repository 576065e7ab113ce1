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
    choice: (name: string, count: number) => `${name} (${count})`,
    clear: "Show all",
    corrected: (query: string) => `Nothing for these letters. Results for “${query}”:`,
    shown: (count: number, all: number) => `${count} of ${counted(all, "problem", "problems")}`,
  },
  dimension: { state: "State", stars: "Stars", part: "Part", concept: "Concept", kind: "Kind", mark: "Marks", path: "Path" },
  state: { untouched: "New", tried: "Tried", proven: "Proven" },
  mark: { yes: "Marked", no: "Not marked" },
  path: {
    named: (title: string, proven: number, all: number, isFollowed: boolean) =>
      `${title}, ${proven} of ${all} proven${isFollowed ? ", followed" : ""}`,
    follow: "Follow this path",
    leave: "Follow no path",
    followed: "The next problem comes from this path.",
  },
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
    mark: (title: string) => `Mark ${title}`,
    untouched: "not started",
    tried: "tried",
    draft: "draft",
    due: "due",
    stars: (stars: number) => counted(stars, "star", "stars"),
  },
};
