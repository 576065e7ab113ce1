// over: solution.cpp
// verdict: INPUT_MUTATED
// group: sample
// en: A copy of the sum is new memory, but the sum itself went into the argument.
// zh: 返回的副本确实是新内存，但求和是在参数里原地做的。
@@
-    const Tensor out = add_constant_meta(x, c);
+    check(x, c);
+    const Tensor& out = x;
@@
-    return out;
+    return torch::stable::clone(out);
 }

 // The schema promises new memory: a copy, never grad itself. `clone` serves every device.
