# over: solution.py
# verdict: FORBIDDEN_OP
# en: A nested tensor of reversed windows pads itself.
# zh: 把窗口倒过来放进嵌套张量，让它自己填充。
@@
-    padded = first.new_zeros(len(batch), longest, *first.shape[1:])
-    for row, (_, window) in zip(padded, batch, strict=True):
-        # Not row[-len(window):], which is the whole row for an empty window.
-        row[longest - len(window) :] = window
+    turned = torch.nested.as_nested_tensor([window.flip(0) for _, window in batch])
+    padded = turned.to_padded_tensor(0.0).flip(1)
