# over: solution.py
# verdict: WA property
# group: edge
# en: An item that is falsy is an item: None, and an empty list of modules. Only a test for None
#   tells what was meant.
# zh: 为假的项也是项：None 是，空的模块列表也是。不能凭真假判断它在不在。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        self._register([*self, *modules])
+        self._register([item for item in [*self, *modules] if item])
