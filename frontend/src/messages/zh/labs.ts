import type { Messages } from "../sentences";

export const labs: Messages["labs"] = {
  title: "实验室",
  lead: "用这些工具看清 PyTorch 和自己的代码到底做了什么，全部在本机运行。",
  terminal: "在终端里：",
  labs: {
    xray: {
      title: "X 光",
      answers: "一次调用依次经过哪些分发键？反向传播保存了什么？两个视图共用哪块内存？torch.compile 把一行代码变成了什么？",
    },
    explain: {
      title: "架构图",
      answers: "从一行 Python 到内核之间隔着哪几层？在图上回放一次录下的调用，看它经过哪些部件。",
    },
    doctor: {
      title: "性能诊断",
      answers: "训练为什么慢，慢在哪一行，改完一步要多久？可读取 PyTorch profiler 和 Nsight Systems 的跟踪文件。",
    },
    distributed: {
      title: "分布式训练",
      answers: "DDP 和 ZeRO 的三个阶段里，谁给谁发了什么？各个 rank 等了多久？结果与单进程是否逐位相同？",
    },
    cudasim: {
      title: "CUDA 模拟器",
      answers: "手边没有 GPU，怎么知道核函数写对了？它在 CPU 上运行 CUDA C++，数据竞争、越界访问、没有全部到达的屏障，都会指出在哪一行。",
    },
    nested: {
      title: "嵌套量化张量",
      answers: "长短不一的一批数据，不填充、只用八位或四位，要占多少内存？哪些算子能直接处理，哪些要先还原？",
    },
  },
};
