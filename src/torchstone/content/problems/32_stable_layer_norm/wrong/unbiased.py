# over: solution.py
# verdict: WA value
# group: sample
# en: LayerNorm uses the biased variance; torch.var divides by D - 1 unless it gets correction=0.
# zh: LayerNorm 用有偏方差；torch.var 默认 correction=1，除以 D
#   −1。
@@
-    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    squares = scaled.square().sum(-1, keepdim=True)
+    variance = squares / max(1, scaled.shape[-1] - 1) + (root / size).square()
