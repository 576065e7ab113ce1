# verdict: FORBIDDEN_OP
# en: A subclass of nn.LayerNorm under the wanted name.
# zh: 换个名字继承 `nn.LayerNorm`。
import torch


class LayerNorm(torch.nn.LayerNorm):
    pass
