// over: good/typed_constant.cpp
// verdict: WA property
// group: errors
// en: A bool is a byte in memory, but true + 1 = 2 is no bool: code that reads it again is
//   undefined. Refuse it, and the other dtypes that are not listed.
// zh: bool 在内存里占一个字节，但 true + 1 = 2 不再是 bool，之后再读就是未定义行为。应当拒绝；没有
//   列出的其他 dtype 也一样。
@@ check
-    const bool is_integer = dtype == ScalarType::Int || dtype == ScalarType::Long;
+    const bool is_byte = dtype == ScalarType::Bool || dtype == ScalarType::Byte;
+    const bool is_integer = is_byte || dtype == ScalarType::Int || dtype == ScalarType::Long;
@@ add_in_place
         case ScalarType::BFloat16: return add_to_each<BFloat16>(out, narrow);
+        case ScalarType::Bool:
+        case ScalarType::Byte: return add_to_each<uint8_t>(out, static_cast<int64_t>(c));
