# over: good/closed_form_function.py
# verdict: FORBIDDEN_OP
# en: An honest forward, and PyTorch's kernel inside Function.backward.
# zh: 前向自己写，反向却在 `Function.backward` 里调用 PyTorch 的核函数。
@@
-from torch.autograd.function import once_differentiable
@@
-        ctx.save_for_backward(x_hat, r)
+        ctx.save_for_backward(x, x.mean(dims, keepdim=True), r)
@@
-    @once_differentiable
@@
-        x_hat, r = ctx.saved_tensors
-        mean = grad_output.mean(ctx.dims, keepdim=True)
-        along = (grad_output * x_hat).mean(ctx.dims, keepdim=True)
-        return r * (grad_output - mean - x_hat * along), None, None
+        x, mean, r = ctx.saved_tensors
+        shape = x.shape[min(ctx.dims) :]
+        mask = [True, False, False]
+        grads = torch.ops.aten.native_layer_norm_backward(
+            grad_output, x, shape, mean, r, None, None, mask
+        )
+        return grads[0], None, None
