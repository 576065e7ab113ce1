# over: solution.py
# verdict: WA grad
# group: grad
# en: The kernel writes in order; empty_like keeps the strides of a dense tensor.
# zh: 核函数按次序写出；而 empty_like 会保留稠密张量的 stride。
@@
-    return [each.new_empty(each.shape if is_wanted else 0) for each, is_wanted in pairs]
+    return [torch.empty_like(each) if is_wanted else each.new_empty(0) for each, is_wanted in pairs]
