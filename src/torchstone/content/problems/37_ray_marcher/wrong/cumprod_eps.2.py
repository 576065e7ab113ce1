# over: solution.py
# verdict: WA value | WA grad
# group: scale
# en: A 1e-10 inside a cumprod biases every ray behind an opaque sample, and its gradient divides by 1 - alpha.
# zh: cumprod 里的 1e-10 使不透明样本之后的光线都有偏差，梯度还要除以 1 − α。
@@
-    transmittance = torch.exp(-total[:, :-1])
+    alpha = 1 - torch.exp(-tau)
+    passes = torch.cumprod(F.pad(1 - alpha + 1e-10, (1, 0), value=1.0), -1)
+    transmittance = passes[:, :-1]
