# over: solution.py
# verdict: WA value
# group: scale
# en: |q|^2 - 2 q p + |p|^2 cancels away from the origin: centre or subtract.
# zh: |q|²−2qp+|p|² 远离原点时相消：应先平移或直接相减。
@@
-    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
+    squares = query.square().sum(-1, keepdim=True) + points.square().sum(-1).unsqueeze(-2)
+    d = squares - 2 * (query @ points.mT)
