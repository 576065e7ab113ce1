# verdict: WA value
# group: small
# zh: all_reduce 求的是和，不是平均。
# en: all_reduce adds; it does not average.
import torch.distributed as dist


def start(tensor):
    work = dist.all_reduce(tensor, async_op=True)

    def finish():
        work.wait()
        return tensor

    return finish
