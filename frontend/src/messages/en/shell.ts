/** The words of the frame around every page, and of its failures. */

import { counted } from "./number";

export const shell = {
  name: "Torchstone",
  skip: "Skip to content",
  main: "Main",
  home: "Home",
  problems: "Problems",
  learn: "Learn",
  questions: "Questions",
  review: "Review",
  labs: "Labs",
  interview: "Interview",
  settings: "Settings",
  find: "Search problems, terms",
  language: "Language",
  local: "Runs on this machine",
  offline: "no network",
  version: (version: string) => `Torchstone ${version}`,
  isolation: (level: string) => `Isolation: ${level}`,
  judge: {
    ready: "Judge ready",
    warming: "Judge warming up",
    failed: "Judge failed",
    gone: "Server gone",
  },
  loading: "Loading",
  retry: "Try again",
};

export const isolation = {
  full: "full",
  namespaces: "namespaces",
  confined: "confined",
  none: "none",
};

export const notice = {
  gone: {
    title: "The server is gone",
    safe: (time: string) => `Nothing is lost: this browser keeps your text. The last answer came at ${time}.`,
    todo: ["Run ", " in a terminal; this page reconnects by itself."],
  },
  locked: {
    title: "This browser has no access any more",
    safe: "Nothing is lost: this browser keeps your text.",
    todo: ["Run ", " in a terminal and follow its link; then reload this page."],
  },
  judge: "The judge does not start",
  /** A part of a page cannot be loaded. */
  fetch: "This part cannot be loaded",
  fetchGone: "The server does not answer. The page tries again by itself.",
};

/** The reviews to come, on two pages. */
export const forecast = {
  heading: "The next two weeks",
  total: (count: number) => `${counted(count, "review comes", "reviews come")} due by then.`,
  none: "No review is due by then.",
  table: "As a table",
  day: "Day",
  reviews: "Reviews",
};
