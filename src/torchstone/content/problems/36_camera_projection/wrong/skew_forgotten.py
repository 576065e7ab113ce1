# over: solution.py
# verdict: WA value
# group: sample
# en: u has three terms: fx x + skew y + cx.
# zh: u 有三项：fx x + skew y + cx。
@@
-    u = K[..., 0, 0, None] * x + K[..., 0, 1, None] * y + K[..., 0, 2, None]
+    u = K[..., 0, 0, None] * x + K[..., 0, 2, None]
