import type { Messages } from "../sentences";

export const find: Messages["find"] = {
  all: (text) => `“${text}”的全部结果`,
  nothing: "没有找到",
  near: "没有找到。相近的有：",
  corrected: (query) => `没有找到。以下是“${query}”的结果：`,
  failed: "搜索没有应答",
  hits: (count) => `${count} 条结果`,
  none: {
    nothing: (wanted) => `没有符合条件的题目：${wanted}。`,
    quoted: (text) => `“${text}”`,
    and: "、",
    drop: {
      text: "去掉搜索词",
      state: "去掉状态",
      stars: "去掉难度",
      part: "去掉部分",
      concept: "去掉概念",
      kind: "去掉题型",
      mark: "不限标记",
      path: "不限路线",
    },
    gives: (drop, count) => `${drop}，有 ${count} 题`,
    near: "相近的有：",
    empty: "这里还没有题目。",
  },
  terms: { heading: "术语", also: (names) => `又作：${names}`, more: (count) => `还有 ${count} 个术语` },
  broken: {
    heading: (count) => `有 ${count} 个题目文件夹损坏，未列出`,
    lead: "其余题目不受影响。",
  },
};
