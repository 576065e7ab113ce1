# over: solution.py
# verdict: WA property
# group: sample
# en: Differences of eighth order: exact to 13 digits, at points that nobody asked for.
# zh: 八阶差分：精确到 13 位，却在没有要求的点上求值。
@@
-        return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        if x.dtype == torch.float32:
+            return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        step, found = 5e-3, 0
+        for i, weight in enumerate((4 / 5, -1 / 5, 4 / 105, -1 / 280)):
+            moves = (i + 1) * step * torch.eye(3, dtype=x.dtype)
+            sides = [f(x + e) - f(x - e) for e in moves]
+            found = found + weight / step * torch.stack(sides, -1)
+        return found
