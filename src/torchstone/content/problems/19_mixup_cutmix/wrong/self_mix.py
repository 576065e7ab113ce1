# over: solution.py
# verdict: WA property
# group: random
# en: With the identity as the permutation every image is its own partner, and nothing is mixed.
# zh: 排列若是恒等排列，每幅图像的搭档就是自己，等于没有混合。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-        perm = torch.randperm(len(x), generator=generator)
+        perm = torch.arange(len(x))
