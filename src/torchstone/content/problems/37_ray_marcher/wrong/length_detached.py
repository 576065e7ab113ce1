# over: solution.py
# verdict: WA grad
# group: sample
# en: The gradient goes through the normalisation: along the ray that of dirs is zero.
# zh: 梯度要穿过归一化：dirs 沿光线方向的梯度为零。
@@
-    unit = dirs / torch.linalg.vector_norm(dirs, dim=-1, keepdim=True)
+    unit = dirs / torch.linalg.vector_norm(dirs, dim=-1, keepdim=True).detach()
