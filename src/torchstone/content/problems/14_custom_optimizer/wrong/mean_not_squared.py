# over: solution.py
# verdict: WA value
# group: rmsprop
# en: The variance is the mean of squares minus the square of the mean.
# zh: 方差等于平方的均值减去均值的平方。
@@
-            square = square.addcmul(mean, mean, value=-1).clamp_(min=0)
+            square = (square - mean.abs()).clamp_(min=0)
