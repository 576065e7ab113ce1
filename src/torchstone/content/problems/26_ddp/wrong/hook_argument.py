# over: solution.py
# verdict: WA grad
# group: basic
# en: The hook gets the parameter, not its gradient; what is reduced is its .grad.
# zh: 这个 hook 收到的是 parameter 而不是梯度，要归约的是它的 .grad。
@@
-            flat = torch.cat([grad_or_zero(parameter).reshape(-1) for parameter in bucket])
+            flat = torch.cat([parameter.detach().reshape(-1) for parameter in bucket])
@@
-                if parameter.grad is None:
-                    parameter.grad = torch.empty_like(parameter)
-                parameter.grad.copy_(part.view_as(parameter))
+                parameter.data.copy_(part.view_as(parameter))
