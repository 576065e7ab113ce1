// over: solution.cpp
// verdict: WA property
// group: errors
// en: Which dtypes there are does not depend on the number of elements.
// zh: 支持哪些 dtype，与元素个数无关。
@@
-    STD_TORCH_CHECK(is_supported(x.scalar_type()), "add_constant: no kernel for ",
+    STD_TORCH_CHECK(x.numel() == 0 || is_supported(x.scalar_type()), "add_constant: no kernel for ",
