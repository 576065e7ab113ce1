# over: solution.py
# verdict: WA shape | WA dtype | WA value | WA property
# group: small
# en: zeros without a dtype are float32; take that of the windows.
# zh: 不指定类型的 `zeros` 是 float32；应取窗口的类型。
@@
-    padded = batch[0].new_zeros(len(batch), longest, *batch[0].shape[1:])
+    padded = torch.zeros(len(batch), longest, *batch[0].shape[1:])
