/** The words of the palette; loaded with it. Each name is first in this language, then in the other, then other words for it. */

import { counted } from "./number";

export const palette = {
  title: "Go to",
  placeholder: "A problem, a tab, a setting",
  hits: (count: number) => counted(count, "entry", "entries"),
  nothing: "Nothing found",
  failed: "The search does not answer; pages, tabs and settings are here.",
  pages: {
    home: ["Home", "首页"],
    problems: ["Problems", "题目"],
    learn: ["Learn", "学习"],
    questions: ["Questions", "问答"],
    review: ["Review", "复习"],
    receipts: ["Check a receipt", "查验收据"],
    distributed: ["Simulate ranks", "模拟多个 rank", "distributed training", "分布式训练", "数据并行", "集合通信", "DDP", "ZeRO", "all-reduce"],
    labs: ["Labs", "实验室"],
    interview: ["Interview", "面试"],
    xray: ["X-ray of your code", "X 光"],
    explain: ["Architecture map", "架构图"],
    doctor: ["Diagnose a trace", "诊断跟踪文件"],
    settings: ["Settings", "设置"],
  },
  tabs: {
    statement: ["Statement", "题面"],
    submissions: ["Submissions", "提交记录"],
    editorial: ["Editorial", "题解"],
    notes: ["Notes", "笔记"],
  },
  settings: {
    language: ["Language", "语言"],
    theme: ["Theme", "主题"],
    keys: ["Editor keys", "编辑器按键"],
    text: ["Editor text", "编辑器文字"],
    progress: ["Progress", "进度"],
  },
  kinds: { page: "page", tab: "tab of this problem", setting: "setting", problem: "problem", question: "question", chapter: "chapter", term: "problems about it" },
};
