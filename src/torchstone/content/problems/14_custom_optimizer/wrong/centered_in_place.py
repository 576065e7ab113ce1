# over: solution.py
# verdict: WA value
# group: rmsprop
# en: The square of the mean is taken off a copy; the stored mean of squares stays.
# zh: 减去均值的平方时要用副本，存下的平方均值不能动。
@@
-            square = square.addcmul(mean, mean, value=-1).clamp_(min=0)
+            square = square.addcmul_(mean, mean, value=-1).clamp_(min=0)
