# over: solution.py
# verdict: WA value
# group: sample
# en: Without the absolute value the farthest point gets the most weight.
# zh: 不取绝对值，最远的点反而权重最大。
@@
-    gaps = (anchors.unsqueeze(-1) - d.unsqueeze(-2)).abs()
+    gaps = (anchors.unsqueeze(-1) - d.unsqueeze(-2))
