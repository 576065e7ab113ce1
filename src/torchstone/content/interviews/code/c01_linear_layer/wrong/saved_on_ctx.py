# over: solution.py
# verdict: WA grad
# group: grad
# en: A tensor on ctx passes by the version counter; save_for_backward notices an overwritten input.
# zh: 直接挂在 ctx 上的张量绕过了版本计数；`save_for_backward` 才能发现输入被改写。
@@
-        ctx.save_for_backward(x, weight)
+        ctx.x, ctx.weight = x, weight
@@
-        x, weight = ctx.saved_tensors
+        x, weight = ctx.x, ctx.weight
