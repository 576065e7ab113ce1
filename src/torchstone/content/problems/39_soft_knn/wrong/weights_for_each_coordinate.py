# over: solution.py
# verdict: WA property
# group: perf
# en: A product of weights and values before the sum has k M C elements for each query.
# zh: 先把权重与 values 逐元素相乘再求和，每个 query 就有 k·M·C 个元素。
@@
-    neighbors = weights.flatten(-3, -2) @ values
-    neighbors = neighbors.unflatten(-2, (query.shape[-2], k))
+    neighbors = (weights.unsqueeze(-1) * values.unsqueeze(-3).unsqueeze(-3)).sum(-2)
