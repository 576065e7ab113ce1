# over: solution.py
# verdict: WA property
# group: errors
# en: What cannot be collated is passed on as a list, and fails far from its cause.
# zh: 不能拼装的东西被原样放进列表，很久以后才在别处出错。
@@
-    raise TypeError(f"pad_collate: a {type(first).__name__} cannot be collated")
+    return list(samples)
