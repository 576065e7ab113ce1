import type { Frame, Parts } from "../sentences";
import { forecast, isolation, notice, shell } from "./shell";

export const frame: Frame = { forecast, isolation, notice, shell };

export const parts: Parts = {
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
