# verdict: FORBIDDEN_OP
# en: Is nn.TransformerEncoder under the name of the task.
# zh: 把 `nn.TransformerEncoder` 改个名字交上来。
from torch import nn


class TransformerEncoder(nn.TransformerEncoder):
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
        if nhead < 1 or d_model % nhead or activation not in ("relu", "gelu"):
            raise ValueError("wrong arguments")
        if not 0 <= dropout <= 1:
            raise ValueError("wrong dropout")
        layer = nn.TransformerEncoderLayer(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first=True,
            norm_first=norm_first,
        )
        norm = nn.LayerNorm(d_model, layer_norm_eps) if final_norm else None
        super().__init__(layer, num_layers, norm)
