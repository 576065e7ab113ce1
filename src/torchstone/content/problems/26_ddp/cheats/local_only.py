# over: solution.py
# verdict: WA grad
# group: basic
# en: Keeps the local gradients, and makes calls whose result nobody reads.
# zh: 保留本地梯度，只做几次没人读结果的通信。
@@
-                parameter.grad.copy_(part.view_as(parameter))
+                part.view_as(parameter)
