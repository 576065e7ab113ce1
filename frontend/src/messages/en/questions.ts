/** The words of the list of questions. */

import { counted } from "./number";

export const questions = {
  title: "Questions",
  lead: "What an interviewer asks, by chapter. Answer in your own words; the page shows which points it found and which cell proves each.",
  standing: (known: number, due: number, all: number) => `${known} of ${all} known, ${due} due today`,
  begin: "Ask me one",
  shown: (count: number, all: number) => `${count} of ${counted(all, "question", "questions")}`,
  filters: { chapter: "Chapter", level: "Level", state: "State", any: "All" },
  levels: ["Junior", "Intermediate", "Senior", "Expert"],
  states: { unseen: "not answered", known: "known", fading: "fading", due: "due" },
  today: "due today",
  minutes: (minutes: number) => `${minutes} min`,
  broken: (topic: string, file: string, reason: string) => `The topic ${topic} cannot be read: ${file}: ${reason}`,
  none: "No question fits these filters.",
  clear: "Show all of them",
  all: "All questions",
};
