# over: solution.py
# verdict: WA grad
# group: small
# en: Without create_graph the penalty has the right value and no training signal.
# zh: 没有 create_graph，惩罚的数值正确，训练信号却为零。
@@
         point = (alpha * real.detach() + (1 - alpha) * fake.detach()).requires_grad_()
-        (gradient,) = derivatives(critic(point).sum(), (point,), create_graph=True)
+        (gradient,) = derivatives(critic(point).sum(), (point,), create_graph=False)
         # vector_norm has the subgradient 0 at 0, where a square root of a sum has NaN.
