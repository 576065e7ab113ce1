# over: solution.py
# verdict: WA value
# group: scale
# en: What escapes counts at far; it is not without a depth.
# zh: 穿透的光按 far 计入深度，不能漏掉。
@@
-    depth = (weights * t).sum(-1) + escapes * far
+    depth = (weights * t).sum(-1)
