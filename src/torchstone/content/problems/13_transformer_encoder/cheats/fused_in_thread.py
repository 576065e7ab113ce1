# verdict: FORBIDDEN_OP
# en: Runs the fused kernel of the whole layer in another thread.
# zh: 在另一个线程里运行整层的融合算子。
import threading

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead = nhead
        self.in_proj_weight = nn.Parameter(torch.zeros(3 * d_model, d_model))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)


class Layer(nn.Module):
    def __init__(self, d_model, nhead, hidden, dropout, activation, norm_first, eps):
        super().__init__()
        self.self_attn = Attention(d_model, nhead)
        self.linear1, self.linear2 = nn.Linear(d_model, hidden), nn.Linear(hidden, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.drop, self.norm_first = nn.Dropout(dropout), norm_first
        self.act = F.relu if activation == "relu" else F.gelu

    def forward(self, x, mask, padding):
        found = []
        of = self.self_attn
        weights = [of.in_proj_weight, of.in_proj_bias, *of.out_proj.parameters()]
        rest = [*self.norm1.parameters(), *self.norm2.parameters()]
        rest += [*self.linear1.parameters(), *self.linear2.parameters()]
        options = (self.act is F.gelu, self.norm_first, self.norm1.eps)

        def work():
            with torch.no_grad():
                found.append(
                    torch._transformer_encoder_layer_fwd(
                        x, x.shape[2], of.nhead, *weights, *options, *rest
                    )
                )

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return found[0]


class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model,
        nhead,
        num_layers,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        norm_first=False,
        layer_norm_eps=1e-5,
        final_norm=False,
    ):
        super().__init__()
        if nhead < 1 or d_model % nhead or activation not in ("relu", "gelu"):
            raise ValueError("wrong arguments")
        if not 0 <= dropout <= 1:
            raise ValueError("wrong dropout")
        self.nhead = nhead
        rest = dim_feedforward, dropout, activation, norm_first, layer_norm_eps
        self.layers = nn.ModuleList(Layer(d_model, nhead, *rest) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, layer_norm_eps) if final_norm else None

    def forward(self, src, mask=None, src_key_padding_mask=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)
