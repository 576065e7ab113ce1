import torch
from torch import nn


class Projections(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * d_model, d_model) * d_model**-0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)


def block(mask, like):
    """Return where a mask blocks, and what it adds elsewhere."""
    if mask is None:
        return torch.zeros((), dtype=torch.bool), like.new_zeros(())
    if mask.dtype == torch.bool:
        return mask, like.new_zeros(())
    blocked = mask.isneginf()
    return blocked, torch.where(blocked, torch.zeros_like(mask), mask)


class Layer(nn.Module):
    def __init__(self, d_model, nhead, dim_feedforward, dropout, activation, norm_first, eps):
        super().__init__()
        self.nhead = nhead
        self.norm_first = norm_first
        self.self_attn = Projections(d_model)
        self.linear1 = nn.Linear(d_model, dim_feedforward)
        self.linear2 = nn.Linear(dim_feedforward, d_model)
        self.norm1 = nn.LayerNorm(d_model, eps=eps)
        self.norm2 = nn.LayerNorm(d_model, eps=eps)
        self.act = nn.ReLU() if activation == "relu" else nn.GELU()
        self.drops = nn.ModuleList(nn.Dropout(dropout) for _ in range(4))

    def attention(self, x, mask, padding):
        b, n, d = x.shape
        h, e = self.nhead, d // self.nhead
        parts = []
        weights = self.self_attn.in_proj_weight.chunk(3)
        biases = self.self_attn.in_proj_bias.chunk(3)
        for weight, bias in zip(weights, biases, strict=True):
            heads = torch.einsum("bnd,hed->bhne", x, weight.view(h, e, d))
            parts.append(heads + bias.view(h, 1, e))
        q, k, v = parts
        scores = torch.einsum("bhie,bhje->bhij", q * e**-0.5, k)

        blocked, added = block(mask, scores)
        if blocked.dim() == 3:
            blocked = blocked.reshape(b, h, n, n)
        if added.dim() == 3:
            added = added.reshape(b, h, n, n)
        of_keys, more = block(padding, scores)
        if padding is not None:
            of_keys = of_keys[:, None, None]
            more = more[:, None, None] if more.dim() else more
        allowed = (~(blocked | of_keys)).expand(scores.shape)
        scores = scores + added + more
        # The largest allowed score of every row; 0 where none is allowed.
        top = torch.where(allowed, scores, -torch.inf).amax(-1, keepdim=True).detach()
        top = torch.where(top.isneginf(), torch.zeros_like(top), top)
        shifted = torch.where(allowed, scores - top, torch.zeros_like(scores))
        powers = torch.where(allowed, shifted.exp(), torch.zeros_like(scores))
        total = powers.sum(-1, keepdim=True)
        a = powers / torch.where(total == 0, torch.ones_like(total), total)

        context = torch.einsum("bhij,bhje->bihe", self.drops[0](a), v).flatten(2)
        return self.drops[1](self.self_attn.out_proj(context))

    def network(self, x):
        return self.drops[3](self.linear2(self.drops[2](self.act(self.linear1(x)))))

    def forward(self, x, mask, padding):
        if self.norm_first:
            y = x + self.attention(self.norm1(x), mask, padding)
            return y + self.network(self.norm2(y))
        y = self.norm1(x + self.attention(x, mask, padding))
        return self.norm2(y + self.network(y))


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
        if nhead < 1:
            raise ValueError("at least one head is needed")
        if d_model % nhead:
            raise ValueError("the heads must divide d_model")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation!r}")
        if dropout < 0 or dropout > 1:
            raise ValueError(f"dropout {dropout} is no probability")
        rest = (dim_feedforward, dropout, activation, norm_first, layer_norm_eps)
        self.layers = nn.ModuleList([Layer(d_model, nhead, *rest) for _ in range(num_layers)])
        if final_norm:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, src, mask=None, src_key_padding_mask=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return self.norm(src) if hasattr(self, "norm") else src
