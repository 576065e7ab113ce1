# over: solution.py
# verdict: WA value
# group: sample
# en: The rate is set before the step that uses it.
# zh: 学习率要在使用它的那一步之前设好。
@@
-        factor = _factor(step, steps, warmup)
+        factor = _factor(max(step - 1, 0), steps, warmup)
