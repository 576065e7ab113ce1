# over: solution.py
# verdict: WA value
# group: mask
# en: The weights are masked after the softmax, so those that remain no longer sum to one.
# zh: 在 softmax 之后才屏蔽，剩下的权重之和不再是 1。
@@
-    scores = scores + mask
-    # A softmax of -inf alone is 0 / 0, and its backward NaN. Such a row is replaced before.
-    blind = (scores == -math.inf).all(-1, keepdim=True)
-    return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
+    blocked = mask == -math.inf
+    scores = scores + mask.masked_fill(blocked, 0.0)
+    return scores.softmax(-1).masked_fill(blocked, 0.0)
