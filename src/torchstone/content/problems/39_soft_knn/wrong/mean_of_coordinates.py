# over: solution.py
# verdict: WA value
# group: sample
# en: A squared distance is the sum over D, not the mean.
# zh: 平方距离是对 D 求和，而不是求平均。
@@
-    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
+    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().mean(-1)
