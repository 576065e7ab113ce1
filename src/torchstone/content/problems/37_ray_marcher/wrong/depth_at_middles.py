# over: solution.py
# verdict: WA value
# group: sample
# en: Light of an interval counts at its sample, not at its middle.
# zh: 一段中的光按样本位置计入深度，不按中点。
@@
-    depth = (weights * t).sum(-1) + escapes * far
+    middles = (torch.cat([t[:, 1:], far[:, None]], -1) + t) / 2
+    depth = (weights * middles).sum(-1) + escapes * far
