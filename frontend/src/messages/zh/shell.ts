import type { Messages } from "../sentences";

export const shell: Messages["shell"] = {
  name: "试金石",
  skip: "跳到正文",
  main: "主导航",
  home: "首页",
  problems: "题目",
  learn: "学习",
  questions: "问答",
  review: "复习",
  labs: "实验室",
  interview: "面试",
  settings: "设置",
  find: "搜索题目与术语",
  language: "语言",
  local: "本机运行",
  offline: "不联网",
  version: (version) => `试金石 ${version}`,
  isolation: (level) => `隔离级别：${level}`,
  judge: {
    ready: "评测机就绪",
    warming: "评测机预热中",
    failed: "评测机无法启动",
    gone: "服务已断开",
  },
  loading: "正在载入",
  retry: "重试",
};

export const isolation: Messages["isolation"] = {
  full: "完整",
  namespaces: "命名空间",
  confined: "受限",
  none: "无",
};

export const notice: Messages["notice"] = {
  gone: {
    title: "服务已断开",
    safe: (time) => `什么都没有丢：你输入的内容都保存在这个浏览器里。上次应答是 ${time}。`,
    todo: ["请在终端运行 ", "，本页会自动重新连接。"],
  },
  locked: {
    title: "这个浏览器的登录已失效",
    safe: "什么都没有丢：你输入的内容都保存在这个浏览器里。",
    todo: ["请在终端运行 ", " 并打开它给出的链接，然后刷新本页。"],
  },
  judge: "评测机无法启动",
  fetch: "这一部分没有载入",
  fetchGone: "服务没有应答，会自动重试。",
};

export const forecast: Messages["forecast"] = {
  heading: "此后两周",
  total: (count) => `其间有 ${count} 次复习到期。`,
  none: "其间没有复习到期。",
  table: "以表格查看",
  day: "日期",
  reviews: "复习数",
};
