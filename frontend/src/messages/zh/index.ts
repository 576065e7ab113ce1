import type { Frame, Parts } from "../sentences";
import { forecast, isolation, lost, notice, shell } from "./shell";

export const frame: Frame = { forecast, isolation, lost, notice, shell };

export const parts: Parts = {
  find: () => import("./find"),
  first: () => import("./first"),
  home: () => import("./home"),
  problem: () => import("./workbench"),
  problems: () => import("./problems"),
  review: () => import("./review"),
  settings: () => import("./settings"),
};
