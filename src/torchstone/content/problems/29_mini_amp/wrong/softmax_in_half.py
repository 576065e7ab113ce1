# over: solution.py
# verdict: WA dtype
# group: high
# en: Leaves softmax in half precision. Exponentials and their sums need float32.
# zh: softmax 仍用半精度计算。指数与求和都需要 float32。
@@
-    *("softmax", "log_softmax", "logsumexp", "layer_norm"),
+    *("logsumexp", "layer_norm"),
