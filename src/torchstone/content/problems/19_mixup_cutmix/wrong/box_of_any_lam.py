# over: solution.py
# verdict: WA property
# group: errors
# en: A lam outside [0, 1] belongs to no box: a negative one gives one that is larger than the image.
# zh: 超出 [0, 1] 的 lam 没有对应的框：负的 lam 会得到比图像还大的框。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    if not 0 <= lam <= 1:
-        raise ValueError("lam must lie between 0 and 1.")
     # The area has the share 1 - lam of the image, so a side has its root; r is half of a side.
