# over: solution.py
# verdict: WA value
# group: sample
# en: The distance of a slot is the weighted sum too, not the anchor.
# zh: 槽的距离同样是加权和，而不是锚点。
@@
-    distances = (weights * d.unsqueeze(-2)).sum(-1)
+    distances = anchors
