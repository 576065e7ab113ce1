# over: solution.py
# verdict: WA grad
# group: small
# en: Only real and fake are detached: the penalty has a gradient to alpha as well.
# zh: 只对 real 与 fake 做了 detach：惩罚对 alpha 也有梯度。
@@
         # The penalty trains the critic only, so the point itself has no history.
-        alpha = alpha.detach().reshape(one_each)
-        point = (alpha * real.detach() + (1 - alpha) * fake.detach()).requires_grad_()
+        alpha = alpha.reshape(one_each)
+        point = differentiable(alpha * real.detach() + (1 - alpha) * fake.detach())
         (gradient,) = derivatives(critic(point).sum(), (point,), create_graph=True)
