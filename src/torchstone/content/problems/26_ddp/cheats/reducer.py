# verdict: FORBIDDEN_OP
# en: The reducer in C++ under torch's wrapper.
# zh: 使用 torch 包装底下的 C++ Reducer。
import torch.distributed as dist
from torch import nn


class MiniDDP(nn.Module):
    def __init__(
        self,
        module,
        *,
        process_group=None,
        bucket_cap_mb=25.0,
        find_unused_parameters=False,
        broadcast_buffers=True,
    ):
        super().__init__()
        self.module = module
        group = process_group or dist.group.WORLD
        trained = [p for p in module.parameters() if p.requires_grad]
        if not trained:
            raise RuntimeError("nothing to train")
        source = dist.get_global_rank(group, 0)
        for each in (*module.parameters(), *module.buffers()):
            dist.broadcast(each.detach(), source, group=group)
        indices, sizes = dist._compute_bucket_assignment_by_size(trained, [25 << 20])
        self.reducer = dist.Reducer(trained, list(reversed(indices)), list(reversed(sizes)), group)

    def forward(self, *args, **kwargs):
        self.reducer.prepare_for_forward()
        out = self.module(*args, **kwargs)
        self.reducer.prepare_for_backward([out])
        return out
