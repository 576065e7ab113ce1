# over: good/log_softmax_helper.py
# verdict: WA property
# group: memory
# en: p, log p and a one-hot matrix are all saved. One N x C tensor is enough; recompute the rest.
# zh: p、log p 和 one-hot 矩阵全都保存了；只需一个 N×C 张量，其余可重算。
@@
 import torch
+from torch.autograd.function import once_differentiable
@@ def forward
-        ctx.save_for_backward(logits, target)
+        one_hot = torch.zeros_like(log_p).scatter_(1, labels[:, None], 1.0)
+        ctx.save_for_backward(logits, log_p, log_p.exp(), one_hot, keep)
@@ class CrossEntropy
+    @once_differentiable
     def backward(ctx, grad_output):
-        logits, target = ctx.saved_tensors
-        ignore_index, reduction, label_smoothing = ctx.arguments
-        x, labels, keep = to_rows(logits, target, ignore_index)
-        p = log_softmax(x).exp()
-        q = torch.full_like(p, label_smoothing / p.shape[1])
-        q.scatter_add_(1, labels[:, None], torch.full_like(q, 1 - label_smoothing))
+        logits, _, p, one_hot, keep = ctx.saved_tensors
+        _, reduction, label_smoothing = ctx.arguments
+        q = (1 - label_smoothing) * one_hot + label_smoothing / p.shape[1]
