# over: solution.py
# verdict: RTE | WA shape
# group: small
# en: There may be any number of channels.
# zh: 通道数是任意的。
@@
-    color = (weights[..., None] * rgb).sum(-2)
+    color = torch.stack([(weights * rgb[..., c]).sum(-1) for c in range(3)], -1)
