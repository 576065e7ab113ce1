# over: solution.py
# verdict: WA property
# group: memory
# en: The forward pass records its graph and keeps it until backward, so every activation is
#   stored after all.
# zh: 前向照常记录计算图并保留到反向，所有激活值还是被存了下来。
@@
-        return fn(*args)  # inside forward no graph is recorded
+        with torch.enable_grad():
+            result = fn(*args)
+        ctx.result = result
+        if isinstance(result, tuple):
+            return tuple(r.detach() if isinstance(r, Tensor) else r for r in result)
+        return result.detach() if isinstance(result, Tensor) else result
