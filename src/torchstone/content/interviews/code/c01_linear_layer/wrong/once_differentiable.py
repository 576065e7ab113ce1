# over: solution.py
# verdict: RTE
# group: grad
# en: once_differentiable forbids the second derivative; products of tensors have one anyway.
# zh: `once_differentiable` 禁止二阶导；而张量乘积本来就可以再求导。
@@
     @staticmethod
+    @torch.autograd.function.once_differentiable
     def backward(ctx, grad_output):
