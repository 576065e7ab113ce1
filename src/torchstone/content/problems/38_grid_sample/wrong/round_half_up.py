# over: solution.py
# verdict: WA value
# group: edge
# en: PyTorch rounds a half to the even pixel: 0.5 is 0, and 1.5 is 2.
# zh: PyTorch 把 .5 舍入到偶数像素：0.5 取 0，1.5 取 2。
@@
-        return [_select(x.round(), 1 + 0 * x, size)]
+        return [_select((x + 0.5).floor(), 1 + 0 * x, size)]
