# over: solution.py
# verdict: WA property
# group: sample
# en: A miss has t = t_far exactly, not where the march stopped.
# zh: 未命中的 t 恰好等于 t_far，而不是停下的位置。
@@
-    return torch.where(hit, t, t_far), hit, steps
+    return t, hit, steps
