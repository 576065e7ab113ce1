// over: good/typed_constant.cpp
// verdict: WA property
// group: errors
// en: What CPU refuses, Meta must refuse: otherwise a program compiles and fails when it runs.
// zh: CPU 拒绝的，Meta 也必须拒绝；否则程序编译得过，运行时才出错。
@@ add_constant_meta
-static Tensor add_constant_meta(const Tensor& x, double c) {
-    check(x, c);
+static Tensor add_constant_meta(const Tensor& x, double) {
