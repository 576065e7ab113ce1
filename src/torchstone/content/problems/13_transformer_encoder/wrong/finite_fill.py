# over: solution.py
# verdict: WA value
# group: mask
# en: With −1e9 instead of −∞, a query that may look at nothing looks at everything alike.
# zh: 用 −1e9 代替 −∞，没有可看的键时就变成了平均地看所有键。
@@
-    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)
+    return torch.zeros(mask.shape, dtype=dtype).masked_fill(
+        mask, -1e9 if dtype != torch.float16 else -3e4
+    )
@@
-    # A softmax of -inf alone is 0 / 0, and its backward NaN. Such a row is replaced before.
-    blind = (scores == -math.inf).all(-1, keepdim=True)
-    return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
+    return scores.clamp(min=-1e9 if scores.dtype != torch.float16 else -3e4).softmax(-1)
