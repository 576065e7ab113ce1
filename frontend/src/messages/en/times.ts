/** The words of the comparison after an acceptance: times, and differences to the model solutions. */

export const times = {
  title: "Time of the cases",
  /** Before the figure is measured for the model solutions. */
  own: "Yours is measured by the judge, without building. The model solutions are not measured on this machine yet.",
  note: (runs: number) =>
    `Measured by the judge on this machine, without building: of the model solutions the median of ${runs} judgements. Each judgement draws its own cases.`,
  measure: (count: number) => `Measure ${count === 1 ? "the model solution" : `${count} model solutions`}`,
  measureAll: (count: number) => `Measure ${count === 1 ? "one program" : `${count} programs`} of the bank`,
  measuring: "Measuring",
  failed: "Not all of them could be measured now.",
  figure: (mine: string, references: string, earlier: number) =>
    `Time of the cases on a logarithmic axis: you ${mine}; model solutions ${references}; ${earlier} of your earlier submissions`,
  caption: "Time of the cases of each program",
  columns: { program: "Program", time: "Time", ratio: "To yours", diff: "Difference", cost: "Cost", bytes: "Saved", multiple: "Of the arguments" },
  you: "you",
  mine: "This submission",
  model: "Model solution",
  other: (name: string) => `Model solution: ${name}`,
  earlier: (when: string) => `Yours, ${when}`,
  unknown: "not measured",
  compare: "Compare",
  hide: "Hide",
  compareWith: (name: string) => `Compare with ${name}`,
  saved: "Saved for backward",
  savedNote:
    "Measured by the judge where the problem limits it. Cases differ in size, so compare the multiples of the arguments’ size.",
  savedFigure: (mine: string, references: string, earlier: number) =>
    `Saved for backward as a multiple of the arguments, on a logarithmic axis: you ${mine}; model solutions ${references}; ${earlier} of your earlier submissions`,
  cost: "Estimated cost",
  costNote:
    "The highest is 1. The cost model ranks kernels by what the judge counted: memory, atomics and barriers. It is not a time.",
  outdated: (count: number) => `Submissions left out, because another version of the cost model computed their cost: ${count}`,
  slow: (name: string) => `Refused for its cost: ${name}`,
  label: (name: string) => `Difference: ${name} (−) and your submission (+)`,
};
