# over: solution.py
# verdict: WA dtype
# group: high
# en: Leaves sums in half precision: the sum of 70,000 float16 ones is inf.
# zh: 求和仍用半精度：七万个 float16 的 1 相加就成了 inf。
@@
-    *("sum", "prod", "cumsum", "cumprod", "norm"),
+    *("prod", "cumprod", "norm"),
