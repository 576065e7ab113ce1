# over: solution.py
# verdict: WA property
# group: nested
# en: The class of a namedtuple is lost, so `batch.tokens` stops working; rebuild the same class.
# zh: 丢掉了 namedtuple 的类，batch.tokens 不再可用；应重建同一个 namedtuple。
@@
-    return type(first)(*fields) if hasattr(first, "_fields") else tuple(fields)
+    return tuple(fields)
