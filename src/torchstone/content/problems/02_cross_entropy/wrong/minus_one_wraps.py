# over: good/log_softmax_helper.py
# verdict: WA property
# group: errors
# en: Indexing accepts -1 as the last class; a label outside [0, C) must raise.
# zh: 高级索引会把 -1 当作最后一类；不在 [0, C) 内的标签应当报错。
@@ def forward
-            loss = loss - (1 - label_smoothing) * log_p.gather(1, labels[:, None])[:, 0]
+            loss = loss - (1 - label_smoothing) * log_p[range(len(labels)), labels]
@@ def backward
-        q.scatter_add_(1, labels[:, None], torch.full_like(q, 1 - label_smoothing))
+        q[range(len(labels)), labels] += 1 - label_smoothing
@@ def cross_entropy
-    wrong = (target != ignore_index) & ((target < 0) | (target >= logits.shape[dim]))
-    if wrong.any():
-        raise IndexError("a class is out of range")
