# over: solution.py
# verdict: WA grad
# group: basic
# en: A float64 gradient that travels as float32 has lost half of its digits.
# zh: float64 的梯度以 float32 传输，精度就丢了一半。
@@
-            flat = torch.cat([grad_or_zero(parameter).reshape(-1) for parameter in bucket])
+            flat = torch.cat([grad_or_zero(each).reshape(-1).float() for each in bucket])
