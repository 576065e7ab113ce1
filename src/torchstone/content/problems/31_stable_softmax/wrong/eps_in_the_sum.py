# over: solution.py
# verdict: WA value
# group: sample
# en: A small number added against division by 0 changes every result; the sum is at least 1, and a dead row needs a rule, not an eps.
# zh: 为防除零而加的小数会改变所有结果；和本来就不小于 1，死行需要规则，不需要 eps。
@@ stable_softmax
-    y = weights / total.masked_fill(total == 0, 1.0)
+    y = weights / (total + 1e-5)
