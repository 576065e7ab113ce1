# over: solution.py
# verdict: WA value
# group: edge
# en: A small eps against the division by zero makes another function: exp(0) or its gradient is wrong.
# zh: 为避免除零加上 eps，就换了一个函数：exp(0) 或它的梯度不再正确。
@@
-    rho, phi = xi[..., :3], xi[..., 3:]
+    rho, phi = xi[..., :3], xi[..., 3:] + 1e-8
