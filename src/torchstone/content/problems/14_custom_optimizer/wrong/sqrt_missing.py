# over: solution.py
# verdict: WA value
# group: sample
# en: Only the root of the second moment has the unit of the gradient; divide by that.
# zh: 二阶矩开方之后才与梯度同量纲，应除以它的平方根。
@@
-        root = (square / correction2).sqrt_().add_(group["eps"])
+        root = (square / correction2).add_(group["eps"])
