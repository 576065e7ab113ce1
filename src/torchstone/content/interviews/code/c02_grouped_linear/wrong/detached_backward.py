# over: solution.py
# verdict: WA grad
# group: grad
# en: A detached weight cuts the graph of the gradient: its derivative is silently zero.
# zh: 把权重 detach 掉，梯度自身的计算图就断了，二阶导会悄悄变成零。
@@
-        x, weight = ctx.saved_tensors
+        x, weight = (each.detach() for each in ctx.saved_tensors)
