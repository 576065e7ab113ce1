# over: solution.py
# verdict: WA value
# group: cache
# en: Finds a copy by the address of the leaf or of its data, and holds only its values. A new
#     tensor at that address gets the old ones.
# zh: 按叶子或其数据的地址查找副本，只保存数值。新张量落到同一地址，就拿到了旧值。
@@
-    # A copy made under no_grad has no history. The entry holds the leaf, so its id stays its own.
-    key = id(x), dtype, torch.is_grad_enabled()
-    _, version, copy = local.copies.get(key, (None, None, None))
-    if version != x._version:
-        copy = x.to(dtype)
-        local.copies[key] = x, x._version, copy
-    return copy
+    # A copy made under no_grad has no history.
+    keys = [(at, x.shape, dtype, x._version) for at in (id(x), x.data_ptr())]
+    known = [local.copies[key] for key in keys if key in local.copies]
+    copy = known[0] if known else x.detach().to(dtype)
+    local.copies.update(dict.fromkeys(keys, copy))
+    return Straight.apply(x, copy)
+
+
+class Straight(torch.autograd.Function):
+    @staticmethod
+    def forward(x: Tensor, copy: Tensor) -> Tensor:
+        return copy.view_as(copy)
+
+    @staticmethod
+    def setup_context(ctx, inputs, output) -> None:
+        pass
+
+    @staticmethod
+    def backward(ctx, grad):
+        return grad.float(), None
