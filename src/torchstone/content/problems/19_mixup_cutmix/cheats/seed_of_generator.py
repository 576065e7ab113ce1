# over: solution.py
# verdict: WA property
# group: random
# en: The wrapper looks at the seed of the generator, counts its own calls, and draws nothing from
#  it.
# zh: 包装器只看生成器的种子并自己数调用次数，不从中抽取任何数。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
         self.num_classes = num_classes
+        self.count = 0
@@
     ) -> tuple[Tensor, Tensor]:
+        self.count += 1
+        seed = (generator or torch.default_generator).initial_seed() + self.count
+        generator = torch.Generator().manual_seed(seed % 2**62)
