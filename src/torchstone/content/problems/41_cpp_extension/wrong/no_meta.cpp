// over: good/typed_constant.cpp
// verdict: RTE
// group: meta
// en: Without a Meta kernel neither FakeTensor nor torch.compile can know the shape of the result.
// zh: 没有 Meta 内核，FakeTensor 和 torch.compile 就无从知道结果的形状。
@@ add_constant_meta
-static Tensor add_constant_meta(const Tensor& x, double c) {
-    check(x, c);
-    return torch::stable::empty_like(x);
-}
-
@@ STABLE_TORCH_LIBRARY_IMPL
-STABLE_TORCH_LIBRARY_IMPL(ts41, Meta, m) {
-    m.impl("add_constant", TORCH_BOX(&add_constant_meta));
-    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
-}
-
