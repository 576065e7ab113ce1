/** The words of a first visit, which few visits need. */

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
