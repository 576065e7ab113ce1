# over: solution.py
# verdict: WA value
# group: sample
# en: The weights of one query over the keys must sum to one; the softmax runs over the last
#   dimension.
# zh: 同一个查询在所有键上的权重之和应为 1，softmax 要沿最后一维。
@@
-        return scores.softmax(-1)
+        return scores.softmax(-2)
@@
-    return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
+    return scores.masked_fill(blind, 0.0).softmax(-2).masked_fill(blind, 0.0)
