import type { Messages } from "../sentences";

export const find: Messages["find"] = {
  all: (text) => `“${text}”的全部结果`,
  nothing: "没有找到",
  near: "没有找到。相近的有：",
  failed: "搜索没有应答",
  hits: (count) => `${count} 条结果`,
};
