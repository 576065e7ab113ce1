# over: solution.py
# verdict: WA property
# group: nonfinite
# en: Check before you write: after the exception the caller wants to skip the step with gradients
#   as they were.
# zh: 先检查再写：抛出异常后，调用方要跳过这一步，梯度应当还是原样。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    # Asking for a number waits for the device, so nobody asks without need.
-    if error_if_nonfinite and not bool(total.isfinite()):
-        raise RuntimeError(f"clip_grad_norm: the total norm is {float(total)}.")
@@
         grad.mul_(coef)
+    if error_if_nonfinite and not bool(total.isfinite()):
+        raise RuntimeError(f"clip_grad_norm: the total norm is {float(total)}.")
