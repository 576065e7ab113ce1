# over: solution.py
# verdict: WA grad
# group: small
# en: The point keeps its history, so the penalty has a gradient to real and fake as well.
# zh: 插值点保留了来历，于是惩罚对 real 与 fake 也有梯度。
@@
         # The penalty trains the critic only, so the point itself has no history.
-        alpha = alpha.detach().reshape(one_each)
-        point = (alpha * real.detach() + (1 - alpha) * fake.detach()).requires_grad_()
+        alpha = alpha.reshape(one_each)
+        point = differentiable(alpha * real + (1 - alpha) * fake)
         (gradient,) = derivatives(critic(point).sum(), (point,), create_graph=True)
