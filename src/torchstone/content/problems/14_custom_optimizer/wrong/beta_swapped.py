# over: solution.py
# verdict: WA value
# group: sample
# en: β₁ belongs to the mean of the gradients, β₂ to the mean of their squares.
# zh: β₁ 用于梯度的均值，β₂ 用于梯度平方的均值。
@@
-        lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
+        lr, (beta2, beta1), decay = group["lr"], group["betas"], group["weight_decay"]
