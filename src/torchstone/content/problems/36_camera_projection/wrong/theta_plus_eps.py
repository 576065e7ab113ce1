# over: solution.py
# verdict: WA value
# group: edge
# en: A small eps against the division by zero makes another function: exp(0) or its gradient is wrong.
# zh: 为避免除零加上 eps，就换了一个函数：exp(0) 或它的梯度不再正确。
@@
-    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
+    theta = phi.norm(dim=-1)[..., None, None] + 1e-8
+    a = theta.sin() / theta
+    b = (1 - theta.cos()) / theta**2
+    c = (theta - theta.sin()) / theta**3
