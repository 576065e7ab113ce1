// over: good/typed_constant.cpp
// verdict: WA value
// group: scale
// en: The constant is rounded to the dtype before it is added, and the sum once more. Compute in
//   float, round once.
// zh: 常数先被舍入到半精度，求和后又舍入一次。应当用 float 计算，最后只舍入一次。
@@ add_in_place
-        case ScalarType::Half: return add_to_each<Half>(out, narrow);
-        case ScalarType::BFloat16: return add_to_each<BFloat16>(out, narrow);
+        case ScalarType::Half: return add_to_each<Half>(out, Half(narrow));
+        case ScalarType::BFloat16: return add_to_each<BFloat16>(out, BFloat16(narrow));
