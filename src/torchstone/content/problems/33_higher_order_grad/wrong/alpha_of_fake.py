# over: solution.py
# verdict: WA value
# group: sample
# en: alpha is the share of real, not of fake.
# zh: alpha 是 real 所占的份额，不是 fake 的。
@@
         alpha = alpha.detach().reshape(one_each)
-        point = (alpha * real.detach() + (1 - alpha) * fake.detach()).requires_grad_()
+        point = (alpha * fake.detach() + (1 - alpha) * real.detach()).requires_grad_()
         (gradient,) = derivatives(critic(point).sum(), (point,), create_graph=True)
