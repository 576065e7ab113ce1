/** The sentences of the page in English. Their shape binds Chinese: one that is missing there fails the build. */

import { forecast, isolation, notice, shell } from "./shell";

/** The words of the frame around every page. */
export const frame = { forecast, isolation, notice, shell };

/** The words of one part each, which come with it, so that no page carries those of the others. */
export const parts = {
  distributed: () => import("./distributed"),
  doctor: () => import("./doctor"),
  explain: () => import("./explain"),
  find: () => import("./find"),
  home: () => import("./home"),
  learn: () => import("./learn"),
  labs: () => import("./labs"),
  interview: () => import("./interview"),
  lost: () => import("./lost"),
  problem: () => import("./workbench"),
  problems: () => import("./problems"),
  questions: () => import("./questions"),
  receipts: () => import("./receipts"),
  review: () => import("./review"),
  seldom: () => import("./seldom"),
  settings: () => import("./settings"),
  xray: () => import("./xray"),
};
