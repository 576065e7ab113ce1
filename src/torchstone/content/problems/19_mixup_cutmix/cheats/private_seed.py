# over: solution.py
# verdict: WA property
# group: random
# en: A private generator with a fixed seed; the one that was passed only moves on.
# zh: 用固定种子的私有生成器，传入的生成器只是被推进一步。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
         self.num_classes = num_classes
+        self.private = torch.Generator().manual_seed(2026)
@@
     ) -> tuple[Tensor, Tensor]:
+        torch.rand(1, generator=generator)
+        generator = self.private
