# over: solution.py
# verdict: WA value
# group: small
# en: AMSGrad keeps the maximum of the uncorrected second moment, and corrects afterwards.
# zh: AMSGrad 对未校正的二阶矩取最大值，之后才校正。
@@
         square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
+        correction1, correction2 = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
+        square = square / correction2
@@
-        # Python's floats are doubles; in float32 1 - 0.999 would keep four digits.
-        correction1, correction2 = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
-        root = (square / correction2).sqrt_().add_(group["eps"])
+        root = square.sqrt().add_(group["eps"])
