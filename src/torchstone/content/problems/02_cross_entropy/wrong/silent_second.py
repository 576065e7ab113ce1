# over: good/log_softmax_helper.py
# verdict: WA grad
# group: grad
# en: p was made inside forward and has no history, so the second derivative is silently wrong:
#   recompute p from the logits, or mark backward with @once_differentiable.
# zh: forward 内部产生的 p 没有计算历史，二阶导会悄悄出错；
#   应从 logits 重算，或用 @once_differentiable 标记。
@@ def forward
-        ctx.save_for_backward(logits, target)
+        ctx.save_for_backward(logits, target, log_p.exp())
@@ def backward
-        logits, target = ctx.saved_tensors
+        logits, target, p = ctx.saved_tensors
@@ def backward
-        x, labels, keep = to_rows(logits, target, ignore_index)
-        p = log_softmax(x).exp()
+        _, labels, keep = to_rows(logits, target, ignore_index)
