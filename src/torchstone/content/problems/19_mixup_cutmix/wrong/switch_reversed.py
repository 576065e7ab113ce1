# over: solution.py
# verdict: WA property
# group: random
# en: switch_prob is the probability of CutMix, not that of Mixup.
# zh: switch_prob 是用 CutMix 的概率，不是用 Mixup 的概率。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-        pastes = self.mixup_alpha == 0 or (self.cutmix_alpha > 0 and switched < self.switch_prob)
+        pastes = self.mixup_alpha == 0 or (self.cutmix_alpha > 0 and switched >= self.switch_prob)
