# over: solution.py
# verdict: WA grad
# group: state
# en: Two calls may come before the first backward; each has its own mode.
# zh: 第一次反向之前可能已有两次调用；每次的模式各不相同。
@@
-    input, grid, *ctx.mode = inputs
+    global mode
+    input, grid, *mode = inputs
@@
-    grads = grid_sample_backward(grad, *ctx.saved_tensors, *ctx.mode, wanted)
+    grads = grid_sample_backward(grad, *ctx.saved_tensors, *mode, wanted)
