# over: solution.py
# verdict: WA grad
# group: sample
# en: The query moves the distances too.
# zh: query 也会改变距离。
@@
-    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
+    d = (query.detach().unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
