# over: solution.py
# verdict: WA grad
# group: later
# en: save_for_backward notes the version; an attribute of ctx does not see that y was overwritten.
# zh: save_for_backward 会记下版本号；放在 ctx 属性里，y 被改写就发现不了。
@@
-    ctx.save_for_backward(output)
+    ctx.y = output.detach()
@@
-    (y,) = ctx.saved_tensors
-    return relu_backward(grad_y, y)
+    return relu_backward(grad_y, ctx.y)
