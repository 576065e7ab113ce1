# over: good/log_softmax_helper.py
# verdict: WA value
# group: small
# en: PyTorch spreads the smoothing over all C classes, the target included, not over the others.
# zh: 平滑量均分给全部 C 个类别（包括正确类别），而不是其余 C - 1 个。
@@ def forward
-            loss = loss - label_smoothing * log_p.mean(1)
+            others = log_p.sum(1) - log_p.gather(1, labels[:, None])[:, 0]
+            loss = loss - label_smoothing * others / (log_p.shape[1] - 1)
@@ def backward
-        q = torch.full_like(p, label_smoothing / p.shape[1])
-        q.scatter_add_(1, labels[:, None], torch.full_like(q, 1 - label_smoothing))
+        q = torch.full_like(p, label_smoothing / max(p.shape[1] - 1, 1))
+        q.scatter_(1, labels[:, None], torch.full_like(q, 1 - label_smoothing))
