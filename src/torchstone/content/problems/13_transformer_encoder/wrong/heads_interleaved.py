# over: solution.py
# verdict: WA value
# group: sample
# en: Head h owns the neighbouring columns from h · head_dim on; here it takes every nhead-th
#   column.
# zh: 第 h 个头占从 h·head_dim 开始的连续若干列；这里却每隔 nhead 列取一列。
@@
-        heads = qkv.view(batch, length, 3, self.nhead, self.head_dim).permute(2, 0, 3, 1, 4)
+        heads = qkv.view(batch, length, 3, self.head_dim, self.nhead).permute(2, 0, 4, 1, 3)
@@
-        context = (weights @ v).transpose(1, 2).reshape(batch, length, d_model)
+        context = (weights @ v).permute(0, 2, 3, 1).reshape(batch, length, d_model)
