// over: good/typed_constant.cpp
// verdict: RTE
// group: layout
// en: An empty tensor is an ordinary tensor, and the sum over it is empty: no loop, no error.
// zh: 空张量是合法的张量，结果也是空的：不必循环，也不该报错。
@@ check
 static void check(const Tensor& x, double c) {
+    STD_TORCH_CHECK(x.numel() > 0, "add_constant: x has no elements");
