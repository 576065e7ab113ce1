# over: solution.py
# verdict: WA property
# group: random
# en: Each method has its own alpha; mixup_alpha is not the one of CutMix.
# zh: 两种方法各有自己的 alpha；mixup_alpha 不能用于 CutMix。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-        lam = draw_beta(self.cutmix_alpha if pastes else self.mixup_alpha, generator)
+        lam = draw_beta(self.mixup_alpha or self.cutmix_alpha, generator)
