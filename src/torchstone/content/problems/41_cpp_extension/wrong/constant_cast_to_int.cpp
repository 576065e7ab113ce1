// over: good/typed_constant.cpp
// verdict: WA value
// group: scale
// en: Casting 1e10 to int32 is undefined; on x86 it gives -2^31. Go by way of int64, then cut
//   modulo 2^32.
// zh: 把 1e10 强制转换成 int32 是未定义行为，在 x86 上得 -2^31。应先转成 int64，再按 2^32 取模截
//   断。
@@ add_in_place
-        case ScalarType::Int: return add_to_each<int32_t>(out, static_cast<int64_t>(c));
+        case ScalarType::Int: return add_to_each<int32_t>(out, static_cast<int32_t>(c) + 0u);
