// over: good/typed_constant.cpp
// verdict: WA value
// group: layout
// en: data_ptr already contains the storage offset; adding it once more reads other elements.
// zh: data_ptr 已经包含 storage_offset，再加一次就读到别的元素上去了。
@@
 #include <cstdint>
+#include <vector>
@@
-// A clone is dense: its elements lie one after the other.
+// Walks over both tensors, the last dimension first.
@@ add_to_each
-static void add_to_each(const Tensor& out, Constant c) {
-    T* const data = static_cast<T*>(out.mutable_data_ptr());
-    const int64_t n = out.numel();
-    for (int64_t i = 0; i < n; ++i) {
-        data[i] = static_cast<T>(static_cast<Constant>(data[i]) + c);
+static void add_into(const Tensor& out, const Tensor& x, Constant c) {
+    const T* const source = static_cast<const T*>(x.const_data_ptr());
+    T* const target = static_cast<T*>(out.mutable_data_ptr());
+    std::vector<int64_t> index(x.dim(), 0);
+    int64_t read = x.storage_offset(), write = out.storage_offset();
+    for (int64_t left = x.numel(); left > 0; --left) {
+        target[write] = static_cast<T>(static_cast<Constant>(source[read]) + c);
+        for (int64_t dim = x.dim() - 1; dim >= 0; --dim) {
+            read += x.stride(dim);
+            write += out.stride(dim);
+            if (++index[dim] < x.size(dim)) {
+                break;
+            }
+            read -= x.stride(dim) * x.size(dim);
+            write -= out.stride(dim) * x.size(dim);
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
