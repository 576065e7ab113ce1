# over: good/log_softmax_helper.py
# verdict: WA value
# group: scale
# en: log(sum(exp(x))) overflows above 88 in float32; subtract the row maximum first.
# zh: float32 中 exp 超过 88 就溢出；先减去每行最大值再取指数。
@@ def log_softmax
-    shifted = x - x.amax(1, keepdim=True)
-    return shifted - shifted.exp().sum(1, keepdim=True).log()
+    return x - x.exp().sum(1, keepdim=True).log()
