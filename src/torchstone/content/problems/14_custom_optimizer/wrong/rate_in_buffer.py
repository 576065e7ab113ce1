# over: solution.py
# verdict: WA value
# group: rmsprop
# en: The momentum buffer holds directions; with the rate in it, old steps keep their old rate.
# zh: 动量缓冲里存的是方向；把学习率乘进去，旧的步子就带着旧的学习率。
@@
-            direction = state["momentum_buffer"].mul_(momentum).add_(direction)
+            buffer = state["momentum_buffer"].mul_(momentum).add_(direction, alpha=group["lr"])
+            direction = buffer / group["lr"]
