# over: solution.py
# verdict: WA grad
# group: later
# en: save_for_backward notes versions; an attribute of ctx does not see that one was overwritten.
# zh: save_for_backward 会记下版本号；放在 ctx 属性里，张量被改写就发现不了。
@@
-    ctx.save_for_backward(input, grid)
+    ctx.tensors = input.detach(), grid.detach()
@@
-    grads = grid_sample_backward(grad, *ctx.saved_tensors, *ctx.mode, wanted)
+    grads = grid_sample_backward(grad, *ctx.tensors, *ctx.mode, wanted)
