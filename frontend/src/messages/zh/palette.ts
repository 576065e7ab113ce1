import type { Messages } from "../sentences";

export const palette: Messages["palette"] = {
  title: "跳转",
  placeholder: "题目、标签页或设置",
  hits: (count) => `${count} 项`,
  nothing: "没有找到",
  failed: "搜索没有回应；页面、标签页和设置仍可跳转。",
  pages: {
    home: ["首页", "Home"],
    problems: ["题目", "Problems"],
    learn: ["学习", "Learn"],
    questions: ["问答", "Questions"],
    review: ["复习", "Review"],
    receipts: ["查验收据", "Check a receipt"],
    distributed: ["模拟多个 rank", "Simulate ranks", "分布式训练", "distributed training", "数据并行", "集合通信", "DDP", "ZeRO", "all-reduce"],
    labs: ["实验室", "Labs"],
    interview: ["面试", "Interview"],
    xray: ["X 光", "X-ray of your code"],
    explain: ["架构图", "Architecture map"],
    doctor: ["诊断跟踪文件", "Diagnose a trace"],
    settings: ["设置", "Settings"],
  },
  tabs: {
    statement: ["题面", "Statement"],
    submissions: ["提交记录", "Submissions"],
    editorial: ["题解", "Editorial"],
    notes: ["笔记", "Notes"],
  },
  settings: {
    language: ["语言", "Language"],
    theme: ["主题", "Theme"],
    keys: ["编辑器按键", "Editor keys"],
    text: ["编辑器文字", "Editor text"],
    progress: ["进度", "Progress"],
  },
  kinds: { page: "页面", tab: "本题的标签页", setting: "设置", problem: "题目", question: "面试题", chapter: "章节", term: "相关题目" },
};
