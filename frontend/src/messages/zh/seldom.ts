import type { Messages } from "../sentences";

export const first: Messages["first"] = {
  say: "三分钟，写出你的第一个证明。",
  lead: (number, title) =>
    `${number} ${title} 的题面、编辑器和样例都已备好。写完点提交；评测在本机进行，不需要账号。`,
  start: (number) => `从 ${number} 开始`,
  paths: "路线",
  browse: "全部题目",
  what: "试金石出 PyTorch 题，用大量用例检验你的代码，并指出你误解了什么。",
  terms: [
    ["AC", "通过：代码在每个用例上都正确。"],
    ["证明", "一次提交通过全部用例，得到 AC。只运行样例不算证明。"],
    ["痕", "地图上一道已证明题目的金线。记忆淡了，它也变淡，直到再次证明。"],
  ],
  sample: {
    heading: "评测机对一个写错的 softmax 的判定",
    verdict: "答案错误",
    score: (passed, count) => `${count} 个用例，正确 ${passed} 个`,
    sentence: "float32 中 exp 超过 88 就溢出；先减去该切片的最大值。",
    caption: "一个记号是一个用例，高度为误差；虚线是容差，叉表示超出容差。",
    figure: (wrong) => `各用例的误差：有 ${wrong} 个超出容差`,
  },
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
