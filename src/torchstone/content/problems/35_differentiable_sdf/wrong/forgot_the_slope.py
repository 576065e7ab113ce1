# over: solution.py
# verdict: WA grad
# group: sample
# en: Divide by the speed of f along the ray.
# zh: 要除以 f 沿光线的变化率。
@@
-        root = -(value - value.detach()) / torch.where(hit, slope, 1)
+        root = -(value - value.detach())
