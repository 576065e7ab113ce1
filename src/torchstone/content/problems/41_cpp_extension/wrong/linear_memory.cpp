// over: good/typed_constant.cpp
// verdict: WA value
// group: layout
// en: numel elements are not numel consecutive addresses: follow the strides, or make a dense
//   copy.
// zh: 元素有 numel 个，并不等于地址连续：要么按 stride 走，要么先复制成稠密张量。
@@
-// A clone is dense: its elements lie one after the other.
@@ add_to_each
-static void add_to_each(const Tensor& out, Constant c) {
-    T* const data = static_cast<T*>(out.mutable_data_ptr());
-    const int64_t n = out.numel();
+static void add_into(const Tensor& out, const Tensor& x, Constant c) {
+    const T* const source = static_cast<const T*>(x.const_data_ptr());
+    T* const target = static_cast<T*>(out.mutable_data_ptr());
+    const int64_t n = x.numel();
@@ add_to_each
-        data[i] = static_cast<T>(static_cast<Constant>(data[i]) + c);
+        target[i] = static_cast<T>(static_cast<Constant>(source[i]) + c);
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
