import type { Messages } from "../sentences";

export const isolationNotice: Messages["isolationNotice"] = {
  name: "隔离",
  confined: {
    title: "四级隔离中，这台机器只能做到第三级",
    text: "内核不让程序碰你的文件和网络，但它与你的其他进程运行在一起。可以评测你自己的代码，收据会写明级别；别人的代码一律不运行。",
  },
  none: {
    title: "这台机器无法隔离程序",
    text: "除了时间和内存，没有什么能限制程序：只评测你信得过的代码。别人的代码一律不运行。",
  },
  raise: "怎样提高",
  dismiss: "仍然评测我的代码",
};
