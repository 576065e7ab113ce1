# over: solution.py
# verdict: WA grad
# group: grad
# en: The kernel writes in order, whatever strides the incoming gradient has.
# zh: 核函数按次序写出，与传入梯度的 stride 无关。
@@
+    grad_x = torch.empty_like(grad_y)
     grad_y, y = grad_y.contiguous(), y.contiguous()
-    grad_x = torch.empty_like(y)
