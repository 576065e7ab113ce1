# over: solution.py
# verdict: WA property
# group: insert
# en: insert takes any integer: beyond an end it means that end. Only reading and deleting raise
#   IndexError.
# zh: insert 接受任何整数：超出两端就取那一端。只有读取和删除才抛 IndexError。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        items.insert(operator.index(index), module)
+        items.insert(self._position(index), module)
