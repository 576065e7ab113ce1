# over: solution.py
# verdict: WA grad
# group: sample
# en: t depends on the shape: dt = −∂f/(∇f·d).
# zh: t 依赖形状：dt = −∂f/(∇f·d)。
@@
-        t = t + torch.where(hit, root, 0)
+        t = t + torch.where(hit, root, 0).detach()
