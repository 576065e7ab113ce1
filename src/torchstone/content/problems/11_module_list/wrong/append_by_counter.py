# over: solution.py
# verdict: WA property
# group: small
# en: The next key is the length of the list now, not the number of items that were ever appended.
# zh: 下一个键是列表当前的长度，而不是历来追加过的次数。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
+        self.counter = 0
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        self._register([*self, *modules])
+        items = list(modules)
+        MyModuleList._register(nn.Module(), items)
+        for item in items:
+            self._modules[str(self.counter)] = item
+            self.counter += 1
