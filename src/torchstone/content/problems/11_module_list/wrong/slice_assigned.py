# over: solution.py
# verdict: WA property
# group: errors
# en: An item can be assigned, a slice cannot: a TypeError says so before anything changes.
# zh: 可以给单个项赋值，不能给切片赋值：应在改动之前抛 TypeError。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        items[self._position(idx)] = module
+        items[idx] = module
