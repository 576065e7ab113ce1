# over: solution.py
# verdict: WA grad
# group: grad
# en: The gradient of the grid is zeros for nearest, not None: the result must depend on the grid.
# zh: nearest 对 grid 的梯度是零张量而不是 None：结果要与 grid 相连。
@@
-        return [_select(x.round(), 1 + 0 * x, size)]
+        return [_select(x.round(), torch.ones_like(x), size)]
