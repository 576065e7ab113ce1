import torch.distributed as dist


def start(tensor):
    work = dist.all_reduce(tensor, async_op=True)

    def finish():
        work.wait()
        return tensor / dist.get_world_size()

    return finish
