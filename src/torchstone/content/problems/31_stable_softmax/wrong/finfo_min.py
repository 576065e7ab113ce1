# over: solution.py
# verdict: WA value
# group: edge
# en: The smallest finite number is still a score: a row that holds nothing else becomes uniform, and its log-sum-exp finite. Hide with -inf.
# zh: 最小的有限数仍是一个分数：整行都是它时结果变成均匀分布，log-sum-exp 也成了有限值。应填 −inf。
@@ def prepare
-    scores = hide(scores, mask, NEVER)
+    scores = hide(scores, mask, torch.finfo(scores.dtype).min)
