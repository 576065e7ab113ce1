// over: good/typed_constant.cpp
// verdict: WA value
// group: scale
// en: A float of a schema is a double in C++; a float32 constant spoils what float64 can hold.
//   Keep it double.
// zh: schema 里的 float 就是 C++ 的 double；先变成 float32，float64 的精度就白费了。请保持 double。
@@ add_in_place
-        case ScalarType::Double: return add_to_each<double>(out, c);
+        case ScalarType::Double: return add_to_each<double>(out, static_cast<double>(narrow));
