# over: solution.py
# verdict: RTE|WA value
# group: small
# en: alpha of shape (B,) is broadcast along the features; reshape it to (B, 1, ..., 1), one number for each sample.
# zh: 形状为 (B,) 的 alpha 沿特征广播了；应变形为 (B, 1, ..., 1)，每个样本一个数。
@@
         # The penalty trains the critic only, so the point itself has no history.
-        alpha = alpha.detach().reshape(one_each)
+        alpha = alpha.detach()
         point = (alpha * real.detach() + (1 - alpha) * fake.detach()).requires_grad_()
