# over: solution.py
# verdict: WA value
# group: rmsprop
# en: The buffer is a sum, μ · buf + d, not an average: nothing multiplies d by 1 − μ.
# zh: 缓冲是累加 μ · buf + d，不是均值：d 不乘 1 − μ。
@@
-            direction = state["momentum_buffer"].mul_(momentum).add_(direction)
+            direction = state["momentum_buffer"].mul_(momentum).add_(direction, alpha=1 - momentum)
