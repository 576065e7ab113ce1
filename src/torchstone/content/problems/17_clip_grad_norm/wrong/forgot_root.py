# over: solution.py
# verdict: WA value
# group: sample
# en: The sum of the powers is not the norm yet: the root is missing.
# zh: 幂的和还不是范数：忘了开方。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    return torch.stack([size.pow(p).sum() for size in sizes]).sum() ** (1 / p)
+    return torch.stack([size.pow(p).sum() for size in sizes]).sum()
