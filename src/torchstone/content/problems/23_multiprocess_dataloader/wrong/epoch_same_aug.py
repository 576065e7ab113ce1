# over: solution.py
# verdict: WA property
# group: random
# en: Every epoch repeats the same augmentation.
# zh: 每个 epoch 重复同样的增强。
@@
-        plan, key = self.plan(), f"{self.seed} {self.epoch}"
+        plan, key = self.plan(), f"{self.seed}"
