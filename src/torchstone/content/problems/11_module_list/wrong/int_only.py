# over: solution.py
# verdict: WA property
# group: edge
# en: Whatever has __index__ is an index, such as a 0-d integer tensor; operator.index asks for
#   it.
# zh: 凡是有 `__index__` 的都能当下标，例如 0 维整数张量；用 operator.index 来取。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        position, length = operator.index(idx), len(self)
+        if type(idx) is not int:
+            raise TypeError(f"MyModuleList: {idx!r} is not an integer.")
+        position, length = idx, len(self)
