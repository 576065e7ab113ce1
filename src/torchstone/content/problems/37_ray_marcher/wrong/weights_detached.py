# over: solution.py
# verdict: WA grad
# group: sample
# en: The weights are part of the answer, and have a gradient.
# zh: 权重也是结果，同样有梯度。
@@
-    return RenderResult(color, depth, -torch.expm1(-total[:, -1]), weights, transmittance, t)
+    opacity = -torch.expm1(-total[:, -1])
+    return RenderResult(color, depth, opacity, weights.detach(), transmittance, t)
