# over: solution.py
# verdict: WA property
# group: errors
# en: `zip` stops at the shortest sample, so fields vanish without an error.
# zh: zip 到最短的样本就停，多出的字段无声无息地消失。
@@
-    if any(len(each) != len(first) for each in samples):
-        raise ValueError("pad_collate: samples have different numbers of fields")
-    fields = [collate(list(field), *options) for field in zip(*samples, strict=True)]
+    fields = [collate(list(field), *options) for field in zip(*samples, strict=False)]
