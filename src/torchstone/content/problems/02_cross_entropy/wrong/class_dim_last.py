# over: good/log_softmax_helper.py
# verdict: WA value
# group: small
# en: For (N, C, d...) the classes live in dim 1; reshape(-1, C) needs them at the end first.
# zh: 多维输入 (N, C, d...) 的类别维是第 1 维；要先移到最后，才能 reshape(-1, C)。
@@ def to_rows
-    x = x[None] if x.ndim == 1 else x.movedim(1, -1).reshape(-1, x.shape[1])
+    x = x[None] if x.ndim == 1 else x.reshape(-1, x.shape[1])
@@ def from_rows
-    if logits.ndim > 1:
-        shape = (logits.shape[0], *logits.shape[2:], logits.shape[1])
-        rows = rows.reshape(shape).movedim(-1, 1)
