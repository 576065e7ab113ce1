# over: solution.py
# verdict: WA property
# group: random
# en: lam is always 0.5: nothing is drawn.
# zh: lam 恒为 0.5，根本不抽取。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    shape = torch.full((2,), alpha, dtype=torch.float64)
-    first, second = torch._standard_gamma(shape, generator=generator).tolist()
-    return first / (first + second)
+    return 0.5
