# over: solution.py
# verdict: WA grad
# group: edge
# en: A root that is squared again still multiplies 0 by infinity at distance 0.
# zh: 先开方再平方，在距离为 0 处仍是 0·∞。
@@
-    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
+    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1).sqrt().square()
