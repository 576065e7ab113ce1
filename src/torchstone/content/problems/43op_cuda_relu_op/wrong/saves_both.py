# over: solution.py
# verdict: WA property
# group: memory
# en: Whatever is saved cannot be freed or changed; the input is not needed.
# zh: 保存了什么，什么就不能释放、不能改写；这里并不需要输入。
@@
-    ctx.save_for_backward(output)
+    ctx.save_for_backward(inputs[0], output)
@@
 def backward(ctx, grad_y: Tensor) -> Tensor:
-    (y,) = ctx.saved_tensors
+    _, y = ctx.saved_tensors
