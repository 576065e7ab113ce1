# over: solution.py
# verdict: WA value | WA property
# group: none
# en: None is not a gradient of zeros: no moment ages, nothing decays.
# zh: None 不是零梯度：矩不更新，权重也不衰减。
@@
-                    if param.grad is not None:
-                        if param.grad.is_sparse:
-                            raise RuntimeError("sparse gradients are not supported")
-                        self.update(param, param.grad, group)
+                    grad = torch.zeros_like(param) if param.grad is None else param.grad
+                    if grad.is_sparse:
+                        raise RuntimeError("sparse gradients are not supported")
+                    self.update(param, grad, group)
