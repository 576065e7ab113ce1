# over: solution.py
# verdict: WA property
# group: random
# en: lam follows Beta(alpha, alpha), which for a small alpha is mostly near 0 and 1; it is
#  uniform for alpha = 1 only.
# zh: lam 服从 Beta(α, α)，α 小时多半靠近 0 和 1；只有 α = 1 才是均匀分布。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    shape = torch.full((2,), alpha, dtype=torch.float64)
-    first, second = torch._standard_gamma(shape, generator=generator).tolist()
-    return first / (first + second)
+    return torch.rand((), dtype=torch.float64, generator=generator).item()
