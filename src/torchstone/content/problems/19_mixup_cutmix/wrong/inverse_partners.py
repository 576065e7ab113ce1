# over: solution.py
# verdict: WA value
# group: sample
# en: Image i gets image perm[i]; scattering x to perm gives the inverse permutation.
# zh: 图像 i 的搭档是 perm[i]；按 perm 散布 x 得到的是逆排列。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    return (lam * wide + (1 - lam) * wide[perm]).to(a.dtype)
+    other = torch.zeros_like(wide).index_copy(0, perm, wide)
+    return (lam * wide + (1 - lam) * other).to(a.dtype)
