// over: good/typed_constant.cpp
// verdict: WA grad
// group: grad
// en: The derivative is 1, but a backward returns the vector-Jacobian product: 1 times the
//   gradient that arrives.
// zh: 导数是 1，但反向返回的是向量与 Jacobian 的乘积：1 乘以传来的梯度。
@@ add_constant_backward
-static Tensor add_constant_backward(const Tensor& grad) { return torch::stable::clone(grad); }
+static Tensor add_constant_backward(const Tensor& grad) {
+    Tensor ones = torch::stable::empty_like(grad);
+    return torch::stable::fill_(ones, 1.0);
+}
