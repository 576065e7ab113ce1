# over: solution.py
# verdict: RTE
# group: small
# en: eps = 0 is legal; only a negative eps is refused.
# zh: eps=0 是合法的；只有负数才拒绝。
@@
-    if eps < 0:
+    if eps <= 0:
