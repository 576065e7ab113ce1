// over: good/typed_constant.cpp
// verdict: RTE
// group: layout
// en: A scalar has no dimensions and so no last one: stride(dim - 1) does not exist. Its odometer
//   has no wheels.
// zh: 0 维张量没有维度，也就没有“最后一维”：stride(dim - 1) 不存在。它的里程表一个轮子也没有。
@@
 #include <cstdint>
+#include <vector>
@@
-// A clone is dense: its elements lie one after the other.
+// Rows lie along the last dimension; the odometer turns the dimensions before it.
@@ add_to_each
-static void add_to_each(const Tensor& out, Constant c) {
-    T* const data = static_cast<T*>(out.mutable_data_ptr());
-    const int64_t n = out.numel();
-    for (int64_t i = 0; i < n; ++i) {
-        data[i] = static_cast<T>(static_cast<Constant>(data[i]) + c);
+static void add_into(const Tensor& out, const Tensor& x, Constant c) {
+    const T* source = static_cast<const T*>(x.const_data_ptr());
+    T* target = static_cast<T*>(out.mutable_data_ptr());
+    const int64_t last = x.dim() - 1;
+    const int64_t read = x.stride(last), write = out.stride(last), length = x.size(last);
+    std::vector<int64_t> index(x.dim(), 0);
+    for (int64_t left = x.numel(); left > 0; left -= length) {
+        for (int64_t i = 0; i < length; ++i) {
+            target[i * write] = static_cast<T>(static_cast<Constant>(source[i * read]) + c);
+        }
+        for (int64_t dim = last - 1; dim >= 0; --dim) {
+            source += x.stride(dim);
+            target += out.stride(dim);
+            if (++index[dim] < x.size(dim)) {
+                break;
+            }
+            source -= x.stride(dim) * x.size(dim);
+            target -= out.stride(dim) * x.size(dim);
+            index[dim] = 0;
+        }
@@ add_in_place
-static void add_in_place(const Tensor& out, double c) {
+static void add_any(const Tensor& out, const Tensor& x, double c) {
@@ add_in_place
-    switch (out.scalar_type()) {
-        case ScalarType::Float: return add_to_each<float>(out, narrow);
-        case ScalarType::Double: return add_to_each<double>(out, c);
-        case ScalarType::Half: return add_to_each<Half>(out, narrow);
-        case ScalarType::BFloat16: return add_to_each<BFloat16>(out, narrow);
-        case ScalarType::Int: return add_to_each<int32_t>(out, static_cast<int64_t>(c));
-        default: return add_to_each<int64_t>(out, static_cast<uint64_t>(static_cast<int64_t>(c)));
+    switch (x.scalar_type()) {
+        case ScalarType::Float: return add_into<float>(out, x, narrow);
+        case ScalarType::Double: return add_into<double>(out, x, c);
+        case ScalarType::Half: return add_into<Half>(out, x, narrow);
+        case ScalarType::BFloat16: return add_into<BFloat16>(out, x, narrow);
+        case ScalarType::Int: return add_into<int32_t>(out, x, static_cast<int64_t>(c));
+        default: return add_into<int64_t>(out, x, static_cast<uint64_t>(static_cast<int64_t>(c)));
@@ add_constant_cpu
-    const Tensor out = torch::stable::clone(x);
-    add_in_place(out, c);
+    const Tensor out = torch::stable::empty_like(x);
+    add_any(out, x, c);
