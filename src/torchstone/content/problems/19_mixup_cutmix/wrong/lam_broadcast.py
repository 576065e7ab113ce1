# over: solution.py
# verdict: WA value
# group: small
# en: A lam of shape (B,) lines up with the last dimension; give it the shape (B, 1, ..., 1).
# zh: 形状为 (B,) 的 lam 会与最后一维对齐；应变形为 (B, 1, …, 1)。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    if isinstance(lam, Tensor):
+    if isinstance(lam, Tensor) and lam.numel() != a.shape[-1]:
