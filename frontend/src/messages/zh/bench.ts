import type { Messages } from "../sentences";

export const bench: Messages["bench"] = {
  format: "格式化",
  formatted: "已格式化。",
  kept: {
    keep: "保存…",
    list: (count) => `已保存的输入（${count}）`,
    name: "输入的名字",
    rename: (name) => `${name} 的新名字`,
    load: "载入",
    go: { keep: "保存", replace: "替换", rename: "改名", remove: "删除" },
    cancel: "取消",
    undo: "撤销",
    done: (name) => `已保存为 ${name}。终端中用 --input '@${name}'`,
    loaded: (name) => `已载入 ${name}。`,
    taken: "已载入这个用例。",
    deleted: (name) => `已删除 ${name}。`,
  },
  expected: "期望值，来自参考实现",
  completion: { count: (count) => `${count} 条补全，按向下键选择` },
  keyRows: { format: "格式化代码", palette: "跳到题目、标签页或设置", complete: "补全名字；再按 ↓ 和 ↵，或 Tab" },
  clock: {
    worked: (minutes) => `已做 ${minutes} 分钟`,
    away: "，已暂停",
    stop: "。",
    about: (planned) => `页面可见、且两分钟内有过操作时才计时。“轻松”要求不超过 ${planned} 分钟。`,
  },
};
