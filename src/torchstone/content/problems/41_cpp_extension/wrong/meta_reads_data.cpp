// over: good/typed_constant.cpp
// verdict: RTE
// group: meta
// en: A tensor on meta has sizes and strides but no data: its data_ptr is null. A kernel for every
//   device must stop before the loop.
// zh: meta 上的张量只有形状和 stride，没有数据，data_ptr 是空指针。供所有设备使用的内核，必须在循环
//   之前停下。
@@ add_constant_cpu
-static Tensor add_constant_cpu(const Tensor& x, double c) {
+static Tensor add_constant(const Tensor& x, double c) {
@@ add_constant_meta
-static Tensor add_constant_meta(const Tensor& x, double c) {
-    check(x, c);
-    return torch::stable::empty_like(x);
-}
-
@@ STABLE_TORCH_LIBRARY_IMPL
-STABLE_TORCH_LIBRARY_IMPL(ts41, CPU, m) {
-    m.impl("add_constant", TORCH_BOX(&add_constant_cpu));
-    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
-}
-
-STABLE_TORCH_LIBRARY_IMPL(ts41, Meta, m) {
-    m.impl("add_constant", TORCH_BOX(&add_constant_meta));
+STABLE_TORCH_LIBRARY_IMPL(ts41, CompositeExplicitAutograd, m) {
+    m.impl("add_constant", TORCH_BOX(&add_constant));
