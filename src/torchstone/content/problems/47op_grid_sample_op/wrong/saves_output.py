# over: solution.py
# verdict: WA property
# group: memory
# en: No formula of the gradient reads the output; what is saved cannot be freed.
# zh: 梯度公式用不到输出；保存了它，它就不能释放。
@@
-    ctx.save_for_backward(input, grid)
+    ctx.save_for_backward(input, grid, output)
@@
-    grads = grid_sample_backward(grad, *ctx.saved_tensors, *ctx.mode, wanted)
+    input, grid, _ = ctx.saved_tensors
+    grads = grid_sample_backward(grad, input, grid, *ctx.mode, wanted)
