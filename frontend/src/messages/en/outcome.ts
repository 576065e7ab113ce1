/** The words of what a simulation shows, which come with the first one. */

import { counted } from "./number";

export const outcome = {
  result: {
    title: "Result",
    equal: "Equal to one process, bit for bit",
    unequal: "Different from one process",
    ratio: "Bytes, over a ring all-reduce",
    ratioIs: (ratio: string) => `${ratio} ×`,
    none: "no bytes: one rank",
    step: "Time of a step",
    idle: "Ranks do not compute",
    idleIs: (percent: string) => `in ${percent} of the time: they wait`,
    idleUnknown: "not known: computing takes no time here",
    simulated: "simulated: bytes on the link, and operations at the speed of a rank",
    simulatedLink: "by the bytes on the simulated link; computing takes no time",
    measured: "on this machine, where one rank runs at a time",
    sent: "Sent by the fullest rank",
    memory: "Memory of the fullest rank",
    kind: "Kind",
    op: "Operation",
    bytes: "Bytes",
  },
  timeline: {
    title: "The ranks over time",
    name: (ranks: number, count: number) => `Timeline of ${ranks} ranks with ${counted(count, "collective", "collectives")}`,
    captionKnown:
      "A row is a rank: above, when it computes (F forward, B backward) and for whom it waits; below, what it exchanges: the number, and what it sends.",
    caption:
      "A row is a rank; where it has two queues, each has a line. A bar is a collective: its number, and what the rank sends. A dashed line: launched, but another rank or an earlier exchange is not ready.",
    keys: "← and → choose a collective; Home and End the first and the last.",
    rank: (rank: number) => `rank ${rank}`,
    forward: "forward",
    backward: "backward",
    wait: "launched, waits",
    waitsForRank: "waits for a rank",
    waitsForBytes: "waits for bytes",
    waitFor: (rank: number) => `waits for ${rank}`,
    waiting: (ranks: string, count: number, last: number, time: string) =>
      ` ${count > 1 ? `Ranks ${ranks} wait` : `Rank ${ranks} waits`} for rank ${last}, ${count > 1 ? "up to " : ""}${time}.`,
    travelling: (time: string) => ` The bytes keep a rank waiting for ${time}.`,
    hidden: " No rank has to wait for it.",
    message: (from: number, to: number) => `${from} → ${to}`,
    chosen: (name: string, ranks: string, bytes: string, time: string) =>
      `${name}: ranks ${ranks}, each sends up to ${bytes}, ${time}.`,
    late: (rank: number, time: string) => ` The others wait for rank ${rank}, up to ${time}.`,
    together: " All come at the same time.",
    queued: (time: string) => ` It is ${time} in the queue.`,
    cut: (drawn: number) => `The figure has the first ${drawn} collectives; the table has all.`,
    none: "One rank exchanges nothing.",
    table: "What is exchanged",
    tableRanks: "What each rank does",
    tableSpans: "When each rank computes and waits",
    headRanks: ["Rank", "Computes", "Waits for ranks", "Waits for bytes", "Does not compute"],
    headSpans: ["Begin", "Duration", "Rank", "Does"],
    head: ["Collective", "Axis", "For", "Begin", "Duration", "Bytes sent", "Ranks", "Waits for"],
    nobody: "–",
  },
};
