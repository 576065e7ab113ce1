# over: solution.py
# verdict: WA value
# group: small
# en: The schedule goes by the number in the whole training, not in this call.
# zh: 调度按整个训练中的编号，而不是这次调用里的。
@@
-        factor = _factor(step, steps, warmup, floor)
+        factor = _factor(step - start, steps, warmup, floor)
