# over: solution.py
# verdict: WA grad
# group: state
# en: Two calls may come before the first backward; each must find its own output.
# zh: 第一次反向之前可能已有两次调用；每次都要找到自己的输出。
@@
-    ctx.save_for_backward(output)
+    global last
+    last = output.detach()
@@
-    (y,) = ctx.saved_tensors
-    return relu_backward(grad_y, y)
+    return relu_backward(grad_y, last)
