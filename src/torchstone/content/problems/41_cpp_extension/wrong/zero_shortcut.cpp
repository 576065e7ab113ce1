// over: good/typed_constant.cpp
// verdict: WA value
// group: scale
// en: Adding 0 is not nothing: -0 + 0 is +0. A copy keeps the sign.
// zh: 加 0 并非什么都不做：-0 + 0 得 +0，而复制会把负号留下来。
@@ add_constant_cpu
-    add_in_place(out, c);
+    if (c != 0.0) {
+        add_in_place(out, c);
+    }
