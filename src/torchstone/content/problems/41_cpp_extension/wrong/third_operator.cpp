// over: solution.cpp
// verdict: WA property
// group: sample
// en: What is registered is there for everybody, and stays; a helper is a function of C++.
// zh: 注册了的算子人人可见，而且会一直留着；辅助函数写成普通的 C++ 函数就够了。
@@
     m.def("add_constant_backward(Tensor grad) -> Tensor");
+    m.def("add_one(Tensor x) -> Tensor");
