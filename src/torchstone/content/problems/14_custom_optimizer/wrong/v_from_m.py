# over: solution.py
# verdict: WA value
# group: sample
# en: The second moment is a mean of squares; the square of the mean is something else.
# zh: 二阶矩是平方的均值，不是均值的平方。
@@
-        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
+        square.mul_(beta2).addcmul_(mean, mean, value=1 - beta2)
