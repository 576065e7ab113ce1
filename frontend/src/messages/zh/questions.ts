import type { Messages } from "../sentences";

export const questions: Messages["questions"] = {
  title: "问答",
  lead: "面试里会问的问题，按章节排列。用自己的话回答，页面会指出找到了哪些要点、每个要点由哪个单元证明。",
  standing: (known, due, all) => `共 ${all} 问，已掌握 ${known}，今天到期 ${due}`,
  begin: "问我一个",
  shown: (count, all) => `${count} / ${all} 问`,
  filters: { chapter: "章节", level: "级别", state: "状态", any: "全部" },
  levels: ["初级", "中级", "高级", "专家"],
  states: { unseen: "没答过", known: "已掌握", fading: "在淡忘", due: "到期" },
  today: "今天到期",
  minutes: (minutes) => `${minutes} 分钟`,
  broken: (topic, file, reason) => `主题 ${topic} 无法读取：${file}：${reason}`,
  none: "没有符合条件的问题。",
  clear: "显示全部",
  all: "全部问题",
};
