# over: solution.py
# verdict: RTE
# group: none
# en: A parameter that took no part in the loss has the gradient None; it is left alone.
# zh: 没有参与损失计算的参数，梯度是 None，应当跳过。
@@
-                    if param.grad is not None:
-                        if param.grad.is_sparse:
-                            raise RuntimeError("sparse gradients are not supported")
-                        self.update(param, param.grad, group)
+                    if param.grad.is_sparse:
+                        raise RuntimeError("sparse gradients are not supported")
+                    self.update(param, param.grad, group)
