# over: solution.py
# verdict: WA value
# group: small
# en: The schedule counts updates; counting batches makes it run ahead by the factor of accumulation.
# zh: 调度按更新计数；按批计数会快上累积的倍数。
@@
-        factor = _factor(step, steps, warmup)
+        factor = _factor(min(step * accumulate, steps), steps, warmup)
