import type { Messages } from "../sentences";

export const paths: Messages["paths"] = {
  heading: "路线",
  progress: (proven, all) => `${all} 题中已证明 ${proven} 题`,
  followed: "，跟随中",
  next: (number, title) => `下一题：${number} ${title}`,
};
