# over: solution.py
# verdict: WA grad
# group: sample
# en: The step with a graph is taken on a detached x, so x gets no gradient.
# zh: 带计算图的那一步用了 detach 过的 x，于是 x 没有梯度。
@@
             )
-        y = self.cell(z, x)
+        y = self.cell(z, x.detach())
         if y.requires_grad:
