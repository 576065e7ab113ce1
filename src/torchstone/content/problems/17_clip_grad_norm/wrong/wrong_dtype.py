# over: solution.py
# verdict: WA dtype
# group: sample
# en: The norm is float32 unless a gradient is float64.
# zh: 除非有 float64 的梯度，范数应是 float32。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    wide = any(grad.dtype == torch.float64 for grad in grads)
@@
-    return total if wide else total.float()
+    return total
