# over: solution.py
# verdict: WA property
# group: random
# en: Shifting the batch by a random step is not a random permutation: neighbours stay neighbours.
# zh: 把 batch 循环移动随机步数并不是随机排列：相邻的图像始终相邻。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-        perm = torch.randperm(len(x), generator=generator)
+        step = torch.randint(max(1, len(x)), (1,), generator=generator)
+        perm = (torch.arange(len(x)) + step) % max(1, len(x))
