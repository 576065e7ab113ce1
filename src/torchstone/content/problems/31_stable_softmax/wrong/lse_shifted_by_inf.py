# over: solution.py
# verdict: WA value
# group: edge
# en: inf - inf is NaN; the log-sum-exp of a row with +inf is +inf, so do not shift by an infinite maximum.
# zh: inf − inf 是 NaN；含 +inf 的行，log-sum-exp 就是 +inf，不能用无穷大的最大值去平移。
@@
-    shift = top.masked_fill(top.isinf(), 0.0)
+    shift = top.masked_fill(top == NEVER, 0.0)
