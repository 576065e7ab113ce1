# over: solution.py
# verdict: WA value
# group: scale
# en: lse is rounded at the size of x: with an offset of 1e6 that is an error of 3 %. Subtract the maximum first and the logarithm afterwards.
# zh: lse 按 |x| 的量级舍入，偏移 1e6 时误差达 3%。先减最大值，再减对数。
@@
-    weights = shift_down(x, dim, mask).exp()
-    total = weights.sum(dim, keepdim=True)
-    y = weights / total.masked_fill(total == 0, 1.0)
+    scores, _ = prepare(x, dim, mask)
+    lse = log_sum_exp(x.to(scores.dtype), dim, keepdim=True, mask=mask)
+    lse = torch.where(lse == torch.inf, torch.nan, lse)
+    y = (scores - lse.masked_fill(lse == NEVER, 0.0)).exp()
@@
-    shifted = shift_down(x, dim, mask)
-    total = shifted.exp().sum(dim, keepdim=True)
-    y = shifted - total.masked_fill(total == 0, 1.0).log()
+    scores, _ = prepare(x, dim, mask)
+    lse = log_sum_exp(x.to(scores.dtype), dim, keepdim=True, mask=mask)
+    lse = torch.where(lse == torch.inf, torch.nan, lse)
+    y = scores - lse.masked_fill(lse == NEVER, 0.0)
