# over: solution.py
# verdict: WA grad
# group: sample
# en: The coefficients depend on phi, too: detached, they lack their part of the gradient.
# zh: 系数也依赖 φ；detach 之后，梯度就缺了这一部分。
@@
-    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
+    a, b, c = _coefficients(phi.detach().square().sum(-1)[..., None, None])
