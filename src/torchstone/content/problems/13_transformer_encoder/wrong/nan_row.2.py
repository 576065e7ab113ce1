# over: solution.py
# verdict: WA value | WA grad
# group: mask
# en: A query that may look at nothing gets 0 / 0; it must be defined as zero before the softmax,
#   not after.
# zh: 没有可看的键时 softmax 是 0/0；要在 softmax 之前规定结果为零，而不是事后补救。
@@
-    # A softmax of -inf alone is 0 / 0, and its backward NaN. Such a row is replaced before.
-    blind = (scores == -math.inf).all(-1, keepdim=True)
-    return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
+    return scores.softmax(-1).nan_to_num(0.0)
