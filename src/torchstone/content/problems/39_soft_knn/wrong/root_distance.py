# over: solution.py
# verdict: WA value
# group: sample
# en: The root has no gradient at 0; here d is squared.
# zh: √ 在 0 处不可导；这里用平方距离。
@@
-    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
+    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1).sqrt()  # (*, N, M)
