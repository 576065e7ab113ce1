# over: good/library_define.py
# verdict: INPUT_MUTATED
# group: edge
# en: The incoming gradient belongs to autograd, and others may still read it.
# zh: 传入的梯度归 autograd 所有，别处可能还要读它。
@@
-    grad_x = like(grad_y, y)
-    kernel.relu_backward(grad_y.contiguous(), y.contiguous(), grad_x, y.numel())
-    return grad_x
+    like(grad_y, y)
+    grad_y, y = grad_y.contiguous(), y.contiguous()
+    kernel.relu_backward(grad_y, y, grad_y, y.numel())
+    return grad_y.clone()
