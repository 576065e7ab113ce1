# over: solution.py
# verdict: WA grad
# group: sample
# en: A miss has no gradient: t_far does not depend on anything.
# zh: 未命中没有梯度：t_far 不依赖任何东西。
@@
-        t = t + torch.where(hit, root, 0)
+        t = t + root
