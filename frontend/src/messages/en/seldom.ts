/** The words of the home page for a first visit, and for a visit with nothing to do. */

export const first = {
  say: "Three minutes to your first proof.",
  lead: (number: string, title: string) =>
    `${number} ${title} is ready: statement, editor, samples. Write, then submit; the judge runs on this machine and needs no account.`,
  start: (number: string) => `Start with ${number}`,
  browse: "Look at all problems",
  stone: "There is no streak yet. The first AC starts one.",
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
