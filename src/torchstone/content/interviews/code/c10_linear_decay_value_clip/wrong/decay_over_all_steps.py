# over: solution.py
# verdict: WA value
# group: sample
# en: The line falls from the end of the warm-up; it is 1 there, not less.
# zh: 直线从预热结束处开始下降，在那里是 1。
@@
-    return max(floor, (steps - step) / (steps - warmup))
+    return max(floor, (steps - step) / steps)
