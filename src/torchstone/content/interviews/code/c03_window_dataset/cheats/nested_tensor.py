# over: solution.py
# verdict: FORBIDDEN_OP
# en: A nested tensor pads itself.
# zh: 让嵌套张量自己填充。
@@
-    padded = batch[0].new_zeros(len(batch), longest, *batch[0].shape[1:])
-    for row, window in zip(padded, batch, strict=True):
-        row[: len(window)] = window
+    padded = torch.nested.as_nested_tensor(batch).to_padded_tensor(0.0)
