# over: solution.py
# verdict: WA value | WA property
# group: sample
# en: Remembers the answer to a tensor of densities; after it was overwritten the old one comes.
# zh: 按密度张量记住结果；张量被改写之后，返回的仍是旧结果。
@@
+MEMORY = {}
+
+
 def bin_edges(near: Tensor, far: Tensor, num_samples: int) -> Tensor:
@@
-    far = far.expand(len(t))
+    if id(sigma) in MEMORY and MEMORY[id(sigma)][0] is sigma:
+        return MEMORY[id(sigma)][1]
+    far = far.expand(len(t))
@@
-    return RenderResult(color, depth, -torch.expm1(-total[:, -1]), weights, transmittance, t)
+    opacity = -torch.expm1(-total[:, -1])
+    result = RenderResult(color, depth, opacity, weights, transmittance, t)
+    MEMORY[id(sigma)] = sigma, result
+    return result
