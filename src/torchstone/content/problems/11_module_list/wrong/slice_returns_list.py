# over: solution.py
# verdict: WA property
# group: sample
# en: A slice as a Python list is not registered where it is kept. It must be a MyModuleList
#   again.
# zh: 切片若是普通 list，保存到别处时就不会被注册。它必须仍是 MyModuleList。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-            return MyModuleList(list(self)[idx])
+            return list(self)[idx]
