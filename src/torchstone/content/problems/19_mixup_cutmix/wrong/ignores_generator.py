# over: solution.py
# verdict: WA property
# group: random
# en: torch.distributions draws from the global generator; what the caller passed must decide
#  everything.
# zh: torch.distributions 用的是全局生成器；一切随机都应由调用者传入的生成器决定。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    shape = torch.full((2,), alpha, dtype=torch.float64)
-    first, second = torch._standard_gamma(shape, generator=generator).tolist()
-    return first / (first + second)
+    return torch.distributions.Beta(alpha, alpha).sample().item()
