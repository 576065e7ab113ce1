# over: solution.py
# verdict: WA property | WA grad
# group: checkpoint
# en: The detached arguments are made once and keep their gradient, so a second backward pass
#   adds the first one's again.
# zh: detach 后的参数只生成一次并保留着梯度，第二次反向会把第一次的梯度再加进去。
@@
         ctx.places = [place for place, a in enumerate(args) if isinstance(a, Tensor)]
+        ctx.leaves = None
@@
-        for place, saved in zip(ctx.places, ctx.saved_tensors, strict=True):
-            # Detached: the backward below must end here, not walk into earlier segments.
-            args[place] = saved.detach().requires_grad_(saved.requires_grad)
+        if ctx.leaves is None:
+            ctx.leaves = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
+        for place, leaf in zip(ctx.places, ctx.leaves, strict=True):
+            args[place] = leaf
