# over: solution.py
# verdict: WA property
# group: raises
# en: The gradient mode is set and reset by hand without `finally`, so an exception of the
#   function leaves it switched.
# zh: 手动切换梯度模式又没有用 `finally` 恢复，函数一抛异常，模式就停在切换后的状态。
@@
-    def forward(ctx, trigger, fn, preserve_rng_state, *args):
+    def forward(ctx, trigger, fn, preserve_rng_state, result, *args):
@@
-        ctx.rng_state = torch.get_rng_state() if preserve_rng_state else None
+        ctx.rng_state = STATES.pop() if preserve_rng_state else None
@@
-        return fn(*args)  # inside forward no graph is recorded
+        return result
@@
-        return None, None, None, *[a.grad if isinstance(a, Tensor) else None for a in args]
+        return None, None, None, None, *[a.grad if isinstance(a, Tensor) else None for a in args]
+
+
+STATES = []
@@
-    return _Recompute.apply(trigger, fn, preserve_rng_state, *args)
+    STATES.append(torch.get_rng_state())
+    torch.set_grad_enabled(False)
+    result = fn(*args)
+    torch.set_grad_enabled(True)
+    return _Recompute.apply(trigger, fn, preserve_rng_state, result, *args)
