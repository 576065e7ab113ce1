// over: good/typed_constant.cpp
// verdict: WA property
// group: state
// en: A schema without (a) promises new memory; functionalization relies on it. A constant of 0
//   and the gradient of an identity need a copy as well.
// zh: schema 里没写 (a)，就是承诺返回新内存，functionalization 靠的就是这一点。常数为 0 时、恒等映
//   射求梯度时，同样要复制。
@@ add_constant_cpu
+    if (c == 0.0) {
+        return x;
+    }
     const Tensor out = torch::stable::clone(x);
@@ add_constant_backward
-static Tensor add_constant_backward(const Tensor& grad) { return torch::stable::clone(grad); }
+static Tensor add_constant_backward(const Tensor& grad) { return grad; }
