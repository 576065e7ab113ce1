import type { Messages } from "../sentences";

export const lost: Messages["lost"] = {
  title: "没有这个页面",
  lead: "地址可能写错了，或者属于尚未建成的部分。",
};
