# over: solution.py
# verdict: WA value
# group: sample
# en: transmittance is what arrives at a sample, not what leaves it.
# zh: transmittance 是到达样本的光，不是离开它的光。
@@
-    return RenderResult(color, depth, -torch.expm1(-total[:, -1]), weights, transmittance, t)
+    behind = torch.exp(-total[:, 1:])
+    return RenderResult(color, depth, -torch.expm1(-total[:, -1]), weights, behind, t)
