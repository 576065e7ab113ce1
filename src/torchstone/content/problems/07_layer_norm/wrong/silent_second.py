# over: good/closed_form_function.py
# verdict: WA grad
# group: grad
# en: Tensors made in forward carry no history; a second derivative through the saved x_hat
#   misses terms. Refuse it or recompute.
# zh: `forward` 里产生的张量没有历史；经由保存的 x̂ 求二阶导会丢项。
#   要么重算，要么用 `once_differentiable` 明确拒绝。
@@
-from torch.autograd.function import once_differentiable
@@
-    @once_differentiable
