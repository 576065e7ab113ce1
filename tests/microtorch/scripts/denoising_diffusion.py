"""Trains a small model of denoising diffusion, and draws from it."""

import itertools
import math
from functools import partial
from inspect import isfunction

import torch
import torch.nn.functional as F
from torch import einsum, nn


def exists(x):
    return x is not None


def default(val, d):
    return val if exists(val) else (d() if isfunction(d) else d)


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, *args, **kwargs):
        return self.fn(x, *args, **kwargs) + x


class SinusoidalPositionEmbeddings(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, time):
        device = time.device
        half_dim = self.dim // 2
        embeddings = math.log(10000) / (half_dim - 1)
        embeddings = torch.exp(torch.arange(half_dim, device=device) * -embeddings)
        embeddings = time[:, None] * embeddings[None, :]
        return torch.cat((embeddings.sin(), embeddings.cos()), dim=-1)


class WeightStandardizedConv2d(nn.Conv2d):
    def forward(self, x):
        eps = 1e-5 if x.dtype == torch.float32 else 1e-3
        weight = self.weight
        mean = weight.mean(dim=(1, 2, 3), keepdim=True)
        var = torch.var(weight, dim=(1, 2, 3), keepdim=True, unbiased=False)
        normalized_weight = (weight - mean) * (var + eps).rsqrt()
        return F.conv2d(
            x, normalized_weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )


class Block(nn.Module):
    def __init__(self, dim, dim_out, groups=4):
        super().__init__()
        self.proj = WeightStandardizedConv2d(dim, dim_out, 3, padding=1)
        self.norm = nn.GroupNorm(groups, dim_out)
        self.act = nn.SiLU()

    def forward(self, x, scale_shift=None):
        x = self.norm(self.proj(x))
        if exists(scale_shift):
            scale, shift = scale_shift
            x = x * (scale + 1) + shift
        return self.act(x)


class ResnetBlock(nn.Module):
    def __init__(self, dim, dim_out, *, time_emb_dim=None, groups=4):
        super().__init__()
        self.mlp = (
            nn.Sequential(nn.SiLU(), nn.Linear(time_emb_dim, dim_out * 2))
            if exists(time_emb_dim)
            else None
        )
        self.block1 = Block(dim, dim_out, groups=groups)
        self.block2 = Block(dim_out, dim_out, groups=groups)
        self.res_conv = nn.Conv2d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

    def forward(self, x, time_emb=None):
        scale_shift = None
        if exists(self.mlp) and exists(time_emb):
            time_emb = self.mlp(time_emb)
            time_emb = time_emb[..., None, None]
            scale_shift = time_emb.chunk(2, dim=1)
        h = self.block1(x, scale_shift=scale_shift)
        h = self.block2(h)
        return h + self.res_conv(x)


class Attention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=8):
        super().__init__()
        self.scale = dim_head**-0.5
        self.heads = heads
        hidden_dim = dim_head * heads
        self.to_qkv = nn.Conv2d(dim, hidden_dim * 3, 1, bias=False)
        self.to_out = nn.Conv2d(hidden_dim, dim, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        qkv = self.to_qkv(x).chunk(3, dim=1)
        q, k, v = map(lambda t: t.reshape(b, self.heads, -1, h * w), qkv)
        q = q * self.scale
        sim = einsum("b h d i, b h d j -> b h i j", q, k)
        sim = sim - sim.amax(dim=-1, keepdim=True).detach()
        attn = sim.softmax(dim=-1)
        out = einsum("b h i j, b h d j -> b h i d", attn, v)
        out = out.permute(0, 1, 3, 2).reshape(b, -1, h, w)
        return self.to_out(out)


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = nn.GroupNorm(1, dim)

    def forward(self, x):
        return self.fn(self.norm(x))


class Unet(nn.Module):
    def __init__(self, dim, dim_mults=(1, 2), channels=1):
        super().__init__()
        self.init_conv = nn.Conv2d(channels, dim, 1, padding=0)
        dims = [dim, *map(lambda m: dim * m, dim_mults)]
        in_out = list(itertools.pairwise(dims))
        block_klass = partial(ResnetBlock, groups=4)
        time_dim = dim * 4
        self.time_mlp = nn.Sequential(
            SinusoidalPositionEmbeddings(dim),
            nn.Linear(dim, time_dim),
            nn.GELU(),
            nn.Linear(time_dim, time_dim),
        )
        self.downs = nn.ModuleList([])
        self.ups = nn.ModuleList([])
        for ind, (dim_in, dim_out) in enumerate(in_out):
            is_last = ind >= len(in_out) - 1
            self.downs.append(
                nn.ModuleList(
                    [
                        block_klass(dim_in, dim_in, time_emb_dim=time_dim),
                        Residual(PreNorm(dim_in, Attention(dim_in))),
                        nn.Conv2d(dim_in, dim_out, 4, 2, 1)
                        if not is_last
                        else nn.Conv2d(dim_in, dim_out, 3, padding=1),
                    ]
                )
            )
        mid = dims[-1]
        self.mid = block_klass(mid, mid, time_emb_dim=time_dim)
        for ind, (dim_in, dim_out) in enumerate(reversed(in_out)):
            is_last = ind == len(in_out) - 1
            self.ups.append(
                nn.ModuleList(
                    [
                        block_klass(dim_out + dim_in, dim_out, time_emb_dim=time_dim),
                        Residual(PreNorm(dim_out, Attention(dim_out))),
                        nn.Sequential(
                            nn.Upsample(scale_factor=2, mode="nearest"),
                            nn.Conv2d(dim_out, dim_in, 3, padding=1),
                        )
                        if not is_last
                        else nn.Conv2d(dim_out, dim_in, 3, padding=1),
                    ]
                )
            )
        self.final_conv = nn.Conv2d(dim, channels, 1)

    def forward(self, x, time):
        x = self.init_conv(x)
        t = self.time_mlp(time)
        h = []
        for block1, attn, downsample in self.downs:
            x = block1(x, t)
            x = attn(x)
            h.append(x)
            x = downsample(x)
        x = self.mid(x, t)
        for block, attn, upsample in self.ups:
            x = torch.cat((F.interpolate(x, size=h[-1].shape[-2:]), h.pop()), dim=1)
            x = block(x, t)
            x = attn(x)
            x = upsample(x)
        return self.final_conv(x)


def cosine_beta_schedule(timesteps, s=0.008):
    steps = timesteps + 1
    x = torch.linspace(0, timesteps, steps)
    alphas_cumprod = torch.cos(((x / timesteps) + s) / (1 + s) * torch.pi * 0.5) ** 2
    alphas_cumprod = alphas_cumprod / alphas_cumprod[0]
    betas = 1 - (alphas_cumprod[1:] / alphas_cumprod[:-1])
    return torch.clip(betas, 0.0001, 0.9999)


timesteps = 20
betas = cosine_beta_schedule(timesteps)
alphas = 1.0 - betas
alphas_cumprod = torch.cumprod(alphas, axis=0)
alphas_cumprod_prev = F.pad(alphas_cumprod[:-1], (1, 0), value=1.0)
sqrt_recip_alphas = torch.sqrt(1.0 / alphas)
sqrt_ac = torch.sqrt(alphas_cumprod)
sqrt_1mac = torch.sqrt(1.0 - alphas_cumprod)
posterior_variance = betas * (1.0 - alphas_cumprod_prev) / (1.0 - alphas_cumprod)


def extract(a, t, x_shape):
    batch_size = t.shape[0]
    out = a.gather(-1, t.cpu())
    return out.reshape(batch_size, *((1,) * (len(x_shape) - 1))).to(t.device)


def q_sample(x_start, t, noise=None):
    noise = default(noise, lambda: torch.randn_like(x_start))
    return (
        extract(sqrt_ac, t, x_start.shape) * x_start + extract(sqrt_1mac, t, x_start.shape) * noise
    )


def p_losses(model, x_start, t, noise=None, loss_type="l1"):
    if noise is None:
        noise = torch.randn_like(x_start)
    x_noisy = q_sample(x_start=x_start, t=t, noise=noise)
    predicted = model(x_noisy, t)
    if loss_type == "l1":
        return F.l1_loss(noise, predicted)
    elif loss_type == "l2":
        return F.mse_loss(noise, predicted)
    elif loss_type == "huber":
        return F.smooth_l1_loss(noise, predicted)
    raise NotImplementedError()


@torch.no_grad()
def p_sample(model, x, t, t_index):
    mean = extract(sqrt_recip_alphas, t, x.shape) * (
        x - extract(betas, t, x.shape) * model(x, t) / extract(sqrt_1mac, t, x.shape)
    )
    if t_index == 0:
        return mean
    return mean + torch.sqrt(extract(posterior_variance, t, x.shape)) * torch.randn_like(x)


@torch.no_grad()
def p_sample_loop(model, shape):
    img = torch.randn(shape)
    for i in reversed(range(0, timesteps)):
        img = p_sample(model, img, torch.full((shape[0],), i, dtype=torch.long), i)
    return img


def main(argv):
    torch.manual_seed(0)
    model = Unet(dim=8)
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    ema = {k: v.detach().clone() for k, v in model.state_dict().items()}
    data = torch.linspace(-1, 1, 8)[None, None, :, None] * torch.sign(torch.randn(32, 1, 1, 8))
    log = []
    for step in range(8):
        batch = data[torch.randperm(32)[:8]]
        optimizer.zero_grad()
        t = torch.randint(0, timesteps, (batch.shape[0],)).long()
        loss = p_losses(model, batch, t, loss_type=["huber", "l1", "l2"][step % 3])
        loss.backward()
        optimizer.step()
        for k, v in model.state_dict().items():
            ema[k].mul_(0.9).add_(v, alpha=0.1)
        log.append(loss.item())
    img = p_sample_loop(model, (2, 1, 8, 8))
    log.append(img.abs().mean().item())
    log.extend(v.norm().item() for v in list(ema.values())[:4])
    return log
