# over: solution.py
# verdict: WA value
# group: scale
# en: exp overflows above 88 in float32; the largest score of a row is subtracted first.
# zh: float32 中 exp 超过 88 就溢出；要先减去该行的最大分数。
@@
-        return scores.softmax(-1)
+        return weigh(scores)
@@
-    return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
+    return weigh(scores.masked_fill(blind, 0.0)).masked_fill(blind, 0.0)

+
+def weigh(scores: Tensor) -> Tensor:
+    wide = scores.float() if scores.dtype.itemsize == 2 else scores
+    powers = wide.exp()
+    return (powers / powers.sum(-1, keepdim=True)).to(scores.dtype)
+
