# over: solution.py
# verdict: WA value
# group: sample
# en: The pixel at floor(x) has the weight 1 - t: the nearer a pixel, the more it counts.
# zh: floor(x) 处的像素权重是 1 − t：离得越近权重越大。
@@
-        return [_select(low, 1 - t, size), _select(low + 1, t, size)]
+        return [_select(low, t, size), _select(low + 1, 1 - t, size)]
