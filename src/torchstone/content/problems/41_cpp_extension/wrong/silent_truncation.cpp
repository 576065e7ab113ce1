// over: good/typed_constant.cpp
// verdict: WA property
// group: errors
// en: A constant of 2.5 becomes 2 without a word. Refuse what cannot be represented.
// zh: 2.5 一声不响就成了 2。无法表示的常数应当报错。
@@ check
-    STD_TORCH_CHECK(!is_integer || (std::abs(c) < 9.2e18 && c == std::trunc(c)),
-                    "add_constant: integers need an integral constant, got ", c);
+    STD_TORCH_CHECK(!is_integer || std::abs(c) < 9.2e18,
+                    "add_constant: the constant does not fit into an integer, got ", c);
