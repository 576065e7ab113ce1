# over: solution.py
# verdict: WA value
# group: scale
# en: The softmax underflows to 0 and its logarithm is -inf, although the answer is -200. Take the logarithm of the sum only.
# zh: softmax 下溢为 0，取对数得 −inf，而正确答案是 −200。只对和取对数。
@@ stable_log_softmax
-    shifted = shift_down(x, dim, mask)
-    total = shifted.exp().sum(dim, keepdim=True)
-    y = shifted - total.masked_fill(total == 0, 1.0).log()
-    return hide(y, mask, NEVER).to(x.dtype)
+    weights = shift_down(x, dim, mask).exp()
+    total = weights.sum(dim, keepdim=True)
+    y = (weights / total.masked_fill(total == 0, 1.0)).log()
+    return hide(y, mask, NEVER).to(x.dtype)
