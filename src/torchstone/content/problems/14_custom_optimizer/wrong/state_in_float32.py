# over: solution.py
# verdict: WA value | WA property
# group: dtype
# en: Moments of a float64 parameter are float64.
# zh: float64 参数的矩也应是 float64。
@@
             names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * group["amsgrad"]
-            state |= {"step": 0} | {name: torch.zeros_like(param) for name in names}
+            zeros = torch.zeros_like(param, dtype=torch.float32)
+            state |= {"step": 0} | {name: zeros.clone() for name in names}
@@
-        mean.mul_(beta1).add_(grad, alpha=1 - beta1)
-        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
+        mean.copy_(mean * beta1 + (1 - beta1) * grad)
+        square.copy_(square * beta2 + (1 - beta2) * grad * grad)
