# style: a custom autograd.Function for one step, differentiable itself
import torch
from torch import nn


class Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx, drive, h, weight, tanh):
        activation = torch.tanh if tanh else torch.relu
        new, ctx.tanh = activation(drive + h @ weight.t()), tanh
        ctx.save_for_backward(new, h, weight)
        return new

    @staticmethod
    def backward(ctx, grad_output):
        new, h, weight = ctx.saved_tensors
        slope = 1 - new * new if ctx.tanh else (new > 0).to(new.dtype)
        delta = grad_output * slope
        return delta, delta @ weight, delta.t() @ h, None


class SimpleRNN(nn.Module):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__()
        if nonlinearity != "tanh" and nonlinearity != "relu":
            raise ValueError("unknown nonlinearity")
        self.tanh = nonlinearity == "tanh"
        self.batch_first = batch_first
        sizes = [("weight_ih_l0", (hidden_size, input_size))]
        sizes += [("weight_hh_l0", (hidden_size, hidden_size))]
        if bias:
            sizes += [("bias_ih_l0", (hidden_size,)), ("bias_hh_l0", (hidden_size,))]
        for name, size in sizes:
            setattr(self, name, nn.Parameter(torch.zeros(size, dtype=dtype)))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def forward(self, x, h0=None, lengths=None, truncate=None):
        if x.dim() != 3 or (truncate is not None and truncate < 1):
            raise ValueError("x must be 3-d and truncate at least 1")
        b, t = x.shape[:2] if self.batch_first else (x.shape[1], x.shape[0])
        hidden = self.weight_hh_l0.shape[0]
        h = x.new_zeros(1, b, hidden) if h0 is None else h0
        if h.shape != torch.Size([1, b, hidden]):
            raise ValueError("h0")
        h = h[0]
        dim = 1 if self.batch_first else 0
        keep = None
        if lengths is not None:
            lengths = torch.as_tensor(lengths)
            if lengths.shape != (b,) or not bool(((0 <= lengths) & (lengths <= t)).all()):
                raise ValueError("lengths")
            grid = torch.arange(t).unsqueeze(1 - dim) < lengths.unsqueeze(dim)
            keep = grid.unsqueeze(2)
            x = torch.where(keep, x, x.new_zeros(()))
        drive = torch.einsum("abi,hi->abh", x, self.weight_ih_l0)
        if "bias_ih_l0" in self._parameters:
            drive = drive + self.bias_ih_l0 + self.bias_hh_l0
        states = []
        for step, row in enumerate(drive.unbind(dim)):
            if step and truncate and step % truncate == 0:
                h = h.detach()
            new = Step.apply(row, h, self.weight_hh_l0, self.tanh)
            h = new if keep is None else torch.where(keep.select(dim, step), new, h)
            states.append(h)
        y = torch.stack(states, dim) if states else x.new_zeros(*x.shape[:2], hidden)
        return y if keep is None else torch.where(keep, y, y.new_zeros(())), h.unsqueeze(0)
