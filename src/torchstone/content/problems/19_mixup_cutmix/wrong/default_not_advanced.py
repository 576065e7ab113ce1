# over: solution.py
# verdict: WA property
# group: random
# en: A generator seeded by the initial seed of the default one starts again in every call: all
#  batches are mixed alike.
# zh: 用默认生成器的初始种子另建生成器，每次调用都从头开始：所有 batch 的混合方式一模一样。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
     ) -> tuple[Tensor, Tensor]:
+        if generator is None:
+            generator = torch.Generator().manual_seed(torch.initial_seed())
         applied, switched = torch.rand(2, generator=generator).tolist()
