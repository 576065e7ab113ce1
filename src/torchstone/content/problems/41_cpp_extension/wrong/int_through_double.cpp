// over: good/typed_constant.cpp
// verdict: WA value
// group: scale
// en: A double holds integers of 53 bits; beyond that int64 loses its last digits. Add integers as
//   integers.
// zh: double 只能精确表示 53 位整数，再大的 int64 就会丢掉末位。整数要按整数相加。
@@ add_in_place
-        default: return add_to_each<int64_t>(out, static_cast<uint64_t>(static_cast<int64_t>(c)));
+        default: return add_to_each<int64_t>(out, c);
