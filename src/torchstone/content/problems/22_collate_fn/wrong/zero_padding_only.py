# over: solution.py
# verdict: WA value
# group: value
# en: The padding is always 0; labels need -100, scores -inf.
# zh: 填充总是 0；标签要用 −100，分数要用 −inf。
@@
-    data = torch.full((*lead, *first.shape[1:]), padding_value, dtype=dtype)
+    data = torch.full((*lead, *first.shape[1:]), 0, dtype=dtype)
