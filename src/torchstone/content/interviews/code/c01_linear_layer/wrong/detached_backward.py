# over: solution.py
# verdict: WA grad
# group: grad
# en: A detached cotangent cuts the graph of the gradient: its derivative is silently zero.
# zh: 把上游梯度 detach 掉，梯度自身的计算图就断了，二阶导会悄悄变成零。
@@
-        rows = grad_output.reshape(-1, weight.shape[0])
+        grad_output = grad_output.detach()
+        rows = grad_output.reshape(-1, weight.shape[0])
