# over: solution.py
# verdict: WA property
# group: small
# en: One number for each sample of each ray: another shape raises ValueError.
# zh: 每条光线的每个样本各有一个数：其他形状要抛 ValueError。
@@
-    if u is not None and u.shape != (len(near), num_samples):
+    if u is not None and u.shape[-1] != num_samples:
