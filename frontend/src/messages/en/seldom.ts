/** The words of the home page for a first visit, and for a visit with nothing to do. */

export const first = {
  say: "Three minutes to your first proof.",
  lead: (number: string, title: string) =>
    `${number} ${title} is ready: statement, editor, samples. Write, then submit; the judge runs on this machine and needs no account.`,
  start: (number: string) => `Start with ${number}`,
  browse: "Look at all problems",
  paths: "Paths",
  what: "Torchstone gives you PyTorch problems, runs your code on many cases, and says what you misunderstood.",
  terms: [
    ["AC", "Accepted: your code is right in every case."],
    ["proof", "An AC of a whole submission. Running the samples alone proves nothing."],
    ["streak", "The gold line of a proven problem on the map. It fades as memory fades, until you prove it again."],
  ] as readonly (readonly [term: string, meaning: string])[],
  sample: {
    heading: "What the judge says of a wrong softmax",
    verdict: "wrong answer",
    score: (passed: number, count: number) => `${passed} of ${count} cases right`,
    sentence: "exp overflows above 88 in float32; subtract the slice's maximum first.",
    caption: "One mark is one case. Its height is the error; the dashed line is the tolerance, and a cross is beyond it.",
    figure: (wrong: number) => `Errors of the cases: ${wrong} are beyond the tolerance`,
  },
  none: "There are no problems here yet",
  noneLead: "No problem folder can be read. The list of problems names the broken ones.",
};

export const calm = {
  heading: "All problems are proven",
  lead: "Every problem here is accepted and none is due. You have nothing to do today.",
  open: "Nothing is waiting",
  openLead: "No problem is due, and none is suggested. Choose what you like.",
  browse: "All problems",
};
