# over: solution.py
# verdict: WA property | RTE
# en: Replaces torch.is_grad_enabled instead of entering no_grad.
# zh: 不进入 `no_grad`，而是替换 `torch.is_grad_enabled`。
@@
-@torch.no_grad()
 def _validate(model: nn.Module, loader: Loader, loss_fn: Loss) -> float:
     model.eval()
+    torch.is_grad_enabled = lambda: False
