/** The words that few visits to the home page need: those of the first, and those of one with nothing to do. */

export const first = {
  say: "Three minutes to your first proof.",
  lead: (number: string, title: string) =>
    `${number} ${title} is ready: statement, editor, samples. Write, press submit; the judge runs on this machine and wants no account.`,
  start: (number: string) => `Start with ${number}`,
  browse: "Look at all problems",
  stone: "No streak on the stone yet. The first AC leaves one.",
  none: "There are no problems here yet",
  noneLead: "No folder of problems could be read. The list of problems names what is broken.",
};

export const calm = {
  heading: "All of it is proven",
  lead: "Every problem here has been accepted, and none is due. Nothing has to be done today.",
  open: "Nothing is waiting",
  openLead: "No problem is due, and none is suggested. Choose what you like.",
  browse: "All problems",
};
