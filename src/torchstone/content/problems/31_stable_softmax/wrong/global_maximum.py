# over: solution.py
# verdict: WA value
# group: scale
# en: One maximum for the whole tensor lets the rows far below it underflow to 0 / 0; each row needs its own.
# zh: 整个张量只用一个最大值，远低于它的行会全部下溢成 0/0；每行都要减自己的最大值。
@@ def prepare
-    return scores, scores.detach().amax(dim, keepdim=True)
+    own = scores.detach().amax(dim, keepdim=True)
+    top = own.amax() if own.numel() else own
+    return scores, torch.where(own.isfinite() & top.isfinite(), top, own)
