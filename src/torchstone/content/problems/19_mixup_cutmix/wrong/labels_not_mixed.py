# over: solution.py
# verdict: WA value
# group: sample
# en: An image that is half a cat must be labelled so: the target is mixed with the weight of the
#  image.
# zh: 图像混了一半，标签也要混一半：标签须用与图像相同的权重混合。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    return blend(x, lam, perm), blend(targets, lam, perm)
+    return blend(x, lam, perm), targets.clone()
