# over: solution.py
# verdict: WA property
# group: sample
# en: eval() changes layers, not autograd: without no_grad validation builds graphs.
# zh: `eval()` 改变的是层的行为，不是 autograd；不加 `no_grad`，验证也会建图。
@@
-@torch.no_grad()
 def _validate(model: nn.Module, loader: Loader, loss_fn: Loss) -> float:
