# over: solution.py
# verdict: WA grad
# group: grad
# en: The backward needs the same mode as the forward.
# zh: 反向要用与前向相同的模式。
@@
-    grads = grid_sample_backward(grad, *ctx.saved_tensors, *ctx.mode, wanted)
+    grads = grid_sample_backward(grad, *ctx.saved_tensors, 0, ctx.mode[1], wanted)
