import type { Messages } from "../sentences";

export const doctor: Messages["doctor"] = {
  title: "性能诊断",
  lead: "把 PyTorch profiler 或 Nsight Systems 录下的文件拖进来。页面会指出慢在哪里、是哪一行、该怎么改，以及改完一步要多久。",
  drop: {
    title: "把跟踪文件拖到这里",
    or: "或者",
    choose: "选择文件",
    another: "打开另一次运行",
    kinds: ".json、.json.gz，或导出的 .sqlite；多个 rank 的文件请一起拖入",
    stays: "文件不会离开本机：复制到你的数据目录，读完立即删除。",
    record: "怎样录一份",
    code: `with torch.profiler.profile(with_stack=True, record_shapes=True) as profiler:
    for _ in range(5):
        train_step()
        profiler.step()
profiler.export_chrome_trace("trace.json.gz")`,
    recordWhy: "五步就够。调用栈用来找到代码行，形状用来画 roofline。",
  },
  state: {
    copying: (name, size) => `正在复制 ${name}，${size}。`,
    reading: (name) => `正在读取 ${name}。`,
    judging: "时间已经分摊清楚，规则正在逐条检查。",
    gone: "服务没有应答。磁盘上的原文件没有动过，请重新打开。",
    folder: "这是一个文件夹。请拖入里面的文件，每个 rank 一个。",
    cancel: "取消",
    cancelled: "已取消，副本已删除。",
  },
  refused: "这个文件得不出诊断",
  terminal: "在终端里：",
};
