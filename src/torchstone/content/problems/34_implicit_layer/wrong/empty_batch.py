# over: solution.py
# verdict: RTE | WA property
# group: edge
# en: The maximum of no samples is not defined; the residual of an empty batch is 0.
# zh: 没有样本就没有最大值；空 batch 的残差是 0。
@@
     """Return the largest relative residual of the samples."""
-    if len(z) == 0:
-        return 0.0
     error = (fz - z).flatten(1).norm(dim=1)
