// over: good/typed_constant.cpp
// verdict: WA property
// group: meta
// en: The fake must promise exactly what the real kernel does: shape, dtype and strides. Code that
//   was compiled for other strides reads other memory.
// zh: Meta 的承诺必须与真实内核完全一致：形状、dtype、stride。按错误的 stride 编译出来的代码，读的
//   是别处的内存。
@@ add_constant_meta
-    return torch::stable::empty_like(x);
+    return torch::stable::new_empty(x, x.sizes());
