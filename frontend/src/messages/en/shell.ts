/** The frame around every page, and what is said when something in it fails. */

import { counted } from "./number";

export const shell = {
  name: "Torchstone",
  skip: "Skip to content",
  main: "Main",
  home: "Home",
  problems: "Problems",
  review: "Review",
  settings: "Settings",
  find: "Search problems, terms",
  language: "Language",
  local: "Runs on this machine",
  offline: "no network",
  version: (version: string) => `Torchstone ${version}`,
  isolation: (level: string) => `Isolation: ${level}`,
  lamp: {
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
    safe: (time: string) => `Nothing is lost: what you type is kept in this browser. It last answered at ${time}.`,
    todo: ["Run ", " in a terminal; this page reconnects by itself."],
  },
  locked: {
    title: "This browser is not let in any more",
    safe: "Nothing is lost: what you type is kept in this browser.",
    todo: ["Run ", " in a terminal and follow its link; then reload this page."],
  },
  judge: "The judge does not start",
  /** Something on a page could not be fetched. */
  fetch: "This part could not be loaded",
  fetchGone: "The server does not answer. It is asked again by itself.",
};

/** The reviews to come, on two pages. */
export const forecast = {
  heading: "The next two weeks",
  total: (count: number) => `${counted(count, "review comes", "reviews come")} due by then.`,
  none: "No review comes due by then.",
  table: "As a table",
  day: "Day",
  reviews: "Reviews",
};
