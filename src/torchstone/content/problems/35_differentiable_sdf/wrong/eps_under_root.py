# over: solution.py
# verdict: WA value
# group: sample
# en: An eps under the root cures the NaN, and moves the surface.
# zh: 根号下加 eps 消除了 NaN，却移动了表面。
@@
-    return torch.linalg.vector_norm(v, dim=-1)
+    return ((v * v).sum(-1) + 1e-6).sqrt()
