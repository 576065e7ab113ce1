# over: solution.py
# verdict: WA value | WA grad
# group: scale
# en: Rows are independent: one size for all of them lets the small rows underflow.
# zh: 各行互不相干：所有行共用一个尺度，小的行就会下溢。
@@
-    size = deviation.detach().abs().amax(-1, keepdim=True)
-    size = size.clamp(min=root)
+    size = deviation.detach().abs().max()
+    size = size.clamp(min=root)
