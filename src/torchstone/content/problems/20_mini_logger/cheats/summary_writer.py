# verdict: FORBIDDEN_OP
# en: TensorBoard's writer keeps the values.
# zh: 由 TensorBoard 的 SummaryWriter 保存数值。
from torch.utils.tensorboard import SummaryWriter


def gpu_usage():
    return None


class MiniLogger:
    def __init__(self, stream=None, **options):
        self.writer = SummaryWriter("/tmp")

    def log(self, step, n=1, **metrics):
        self.writer.add_scalars("metrics", metrics, step)

    def close(self):
        self.writer.close()
