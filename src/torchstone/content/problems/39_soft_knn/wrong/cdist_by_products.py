# over: solution.py
# verdict: WA value
# group: scale
# en: Above 25 points cdist multiplies matrices by default, which cancels far from the origin.
# zh: 超过 25 个点时，cdist 默认用矩阵乘法，远离原点时相消。
@@
-    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
+    d = torch.cdist(query, points).square()
