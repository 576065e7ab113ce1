# over: solution.py
# verdict: WA value
# group: sample
# en: The gap to the anchor enters as an absolute value, not squared.
# zh: 与锚点之差取绝对值，而不是平方。
@@
-    gaps = (anchors.unsqueeze(-1) - d.unsqueeze(-2)).abs()
+    gaps = (anchors.unsqueeze(-1) - d.unsqueeze(-2)).square()
