# over: solution.py
# verdict: FORBIDDEN_OP
# en: PyTorch's function pads on the left, too.
# zh: PyTorch 的函数也会在左边填充。
@@
-    padded = first.new_zeros(len(batch), longest, *first.shape[1:])
-    for row, (_, window) in zip(padded, batch, strict=True):
-        # Not row[-len(window):], which is the whole row for an empty window.
-        row[longest - len(window) :] = window
+    windows = [window for _, window in batch]
+    padded = torch.nn.utils.rnn.pad_sequence(windows, batch_first=True, padding_side="left")
