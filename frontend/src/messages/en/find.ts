/** The search of the top bar; loaded with its list. */

import { counted } from "./number";

export const find = {
  all: (text: string) => `All results for “${text}”`,
  nothing: "Nothing found",
  near: "Nothing found. Close to it:",
  failed: "The search does not answer",
  hits: (count: number) => counted(count, "result", "results"),
};
