# over: good/log_softmax_helper.py
# verdict: WA value
# group: scale
# en: The log of a probability that underflowed is -inf. Work with x - m - log(sum); a probability
#   may be 0, its logarithm is not.
# zh: 概率可以下溢为 0，但对数概率不会；直接在对数域计算 x - m - log(sum)。
@@ def log_softmax
-    shifted = x - x.amax(1, keepdim=True)
-    return shifted - shifted.exp().sum(1, keepdim=True).log()
+    weights = (x - x.amax(1, keepdim=True)).exp()
+    return (weights / weights.sum(1, keepdim=True)).log()
