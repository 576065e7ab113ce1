# over: solution.py
# verdict: INPUT_MUTATED
# group: small
# en: Writing into x destroys the caller's batch, and later images copy from ones already changed.
# zh: 直接写入 x 会破坏调用者的 batch，而且后面的图像会从已被改动的图像上复制。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    mixed = x.clone()
-    mixed[..., top:bottom, left:right] = x[perm, ..., top:bottom, left:right]
+    mixed = x.detach()
+    for i, j in enumerate(perm.tolist()):
+        mixed[i, ..., top:bottom, left:right] = mixed[j, ..., top:bottom, left:right]
@@
-    return mixed, blend(targets, lam, perm)
+    return x.clone(), blend(targets, lam, perm)
