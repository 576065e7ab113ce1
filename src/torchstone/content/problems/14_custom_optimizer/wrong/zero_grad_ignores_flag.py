# over: solution.py
# verdict: WA property
# group: small
# en: With set_to_none=False the gradient tensors stay and are filled with zeros.
# zh: set_to_none=False 时梯度张量要保留，并填成零。
@@
-                if set_to_none:
-                    param.grad = None
-                elif param.grad is not None:
-                    param.grad.detach_().zero_()
+                param.grad = None
