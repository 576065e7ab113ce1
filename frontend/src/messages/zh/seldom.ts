import type { Messages } from "../sentences";

export const first: Messages["first"] = {
  say: "三分钟，写出你的第一个证明。",
  lead: (number, title) =>
    `${number} ${title} 的题面、编辑器和样例都已备好。写完按提交；判题在本机，不需要账号。`,
  start: (number) => `从 ${number} 开始`,
  browse: "全部题目",
  stone: "石上还没有痕。第一个 AC 会留下第一道。",
  none: "这里还没有题目",
  noneLead: "没有读到任何题目文件夹；损坏的列在题目页。",
};

export const calm: Messages["calm"] = {
  heading: "全部已证明",
  lead: "这里的每道题都已通过，也没有到期的复习。今天可以什么都不做。",
  open: "没有待办",
  openLead: "没有到期的题，也没有建议的题。想写哪道就写哪道。",
  browse: "全部题目",
};
