// over: solution.cpp
// verdict: WA property
// group: errors
// en: Unsigned numbers wrap just as well, but a dtype that the statement does not list is refused.
// zh: 无符号数同样可以回绕，但题目没有列出的 dtype 一律要拒绝。
@@
     return is_integer(dtype) || dtype == ScalarType::Float || dtype == ScalarType::Double ||
-           dtype == ScalarType::Half || dtype == ScalarType::BFloat16;
+           dtype == ScalarType::Half || dtype == ScalarType::BFloat16 ||
+           dtype == ScalarType::UInt32;
@@
         case ScalarType::Int: add_into<int32_t>(out, x, c); break;
+        case ScalarType::UInt32: add_into<uint32_t>(out, x, c); break;
