// over: good/typed_constant.cpp
// verdict: WA dtype
// group: small
// en: The type of c says nothing about the result: the schema takes every constant as a float, and
//   an integer tensor stays one.
// zh: c 的类型与结果无关：schema 把所有常数都当作 float 传入，整数张量的结果仍是整数张量。
@@
+// A constant with a fraction makes a float of an integer, as in Python.
+static Tensor in_its_dtype(const Tensor& x) {
+    const bool is_integer =
+        x.scalar_type() == ScalarType::Int || x.scalar_type() == ScalarType::Long;
+    if (!is_integer) {
+        return torch::stable::clone(x);
+    }
+    return torch::stable::to(x, ScalarType::Float);
+}
+
 static Tensor add_constant_cpu(const Tensor& x, double c) {
@@ add_constant_cpu
-    const Tensor out = torch::stable::clone(x);
+    const Tensor out = in_its_dtype(x);
@@ add_constant_meta
-    return torch::stable::empty_like(x);
+    return torch::stable::empty_like(in_its_dtype(x));
