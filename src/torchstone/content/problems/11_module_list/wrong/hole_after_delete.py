# over: solution.py
# verdict: WA property
# group: small
# en: Deleting a key leaves a hole in the numbering. What is left must be numbered from 0 again,
#   for indexing and for checkpoints.
# zh: 删掉一个键，编号就缺了一个。剩下的必须从 0 重新编号，下标和检查点才不会错位。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        items = list(self)
-        del items[idx if isinstance(idx, slice) else self._position(idx)]
-        self._register(items)
+        keys = list(self._modules)
+        for key in keys[idx] if isinstance(idx, slice) else [keys[self._position(idx)]]:
+            del self._modules[key]
