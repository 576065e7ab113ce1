// over: solution.cpp
// verdict: WA property
// group: grad
// en: The gradient keeps a dense layout as the sum does; new_empty is always contiguous.
// zh: 梯度要像前向的结果那样保持稠密布局；new_empty 得到的总是连续张量。
@@
-Tensor add_constant_backward(const Tensor& grad) { return torch::stable::clone(grad); }
+Tensor add_constant_backward(const Tensor& grad) {
+    Tensor out = torch::stable::new_empty(grad, grad.sizes());
+    return torch::stable::copy_(out, grad);
+}
