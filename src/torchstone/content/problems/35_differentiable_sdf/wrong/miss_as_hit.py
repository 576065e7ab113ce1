# over: solution.py
# verdict: WA value
# group: edge
# en: A ray that runs out of steps is a miss.
# zh: 步数耗尽的光线是未命中。
@@
         alive &= ~hit & (t <= t_far)
+    hit = t <= t_far
     return torch.where(hit, t, t_far), hit, steps
