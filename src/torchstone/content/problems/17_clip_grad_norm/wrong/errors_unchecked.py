# over: solution.py
# verdict: WA property
# group: errors
# en: A negative max_norm would turn the gradient round; say so with a ValueError before anything
#   is scaled.
# zh: max_norm 为负会使梯度反向；应在缩放之前抛 ValueError。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
-    if max_norm < 0 or norm_type <= 0:
-        raise ValueError("clip_grad_norm: max_norm must not be negative, norm_type be positive.")
