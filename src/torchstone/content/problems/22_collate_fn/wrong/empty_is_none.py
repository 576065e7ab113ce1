# over: solution.py
# verdict: WA property
# group: errors
# en: An empty batch gives None instead of an error that names the cause.
# zh: 空 batch 返回 None，而不是报出原因。
@@
-        raise ValueError("pad_collate: the batch is empty")
+        return None
