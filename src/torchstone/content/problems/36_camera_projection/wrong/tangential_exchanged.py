# over: solution.py
# verdict: WA value
# group: sample
# en: p1 goes with 2xy in x and with r² + 2y² in y; p2 the other way round.
# zh: p1 在 x 中配 2xy，在 y 中配 r² + 2y²；p2 正好相反。
@@
-    k1, k2, p1, p2, k3 = dist.unbind(-1)
+    k1, k2, p2, p1, k3 = dist.unbind(-1)
