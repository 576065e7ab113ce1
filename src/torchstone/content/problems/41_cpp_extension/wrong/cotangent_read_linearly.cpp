// over: good/typed_constant.cpp
// verdict: WA grad
// group: grad
// en: The gradient that arrives has strides of its own: that of a sum is expanded, with stride 0
//   everywhere. The backward must follow strides as the forward does.
// zh: 传来的梯度有自己的 stride：对 sum 求导时，它是 expand 出来的，各维 stride 都是 0。反向和前向
//   一样要按 stride 走。
@@
 #include <cstdint>
+#include <cstring>
@@ add_constant_backward
-static Tensor add_constant_backward(const Tensor& grad) { return torch::stable::clone(grad); }
+static Tensor add_constant_backward_meta(const Tensor& grad) {
+    return torch::stable::empty_like(grad);
+}
+
+static Tensor add_constant_backward_cpu(const Tensor& grad) {
+    const Tensor out = add_constant_backward_meta(grad);
+    std::memcpy(out.mutable_data_ptr(), grad.const_data_ptr(), grad.numel() * grad.element_size());
+    return out;
+}
@@ STABLE_TORCH_LIBRARY_IMPL
     m.impl("add_constant", TORCH_BOX(&add_constant_cpu));
-    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
+    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward_cpu));
@@ STABLE_TORCH_LIBRARY_IMPL
     m.impl("add_constant", TORCH_BOX(&add_constant_meta));
-    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
+    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward_meta));
