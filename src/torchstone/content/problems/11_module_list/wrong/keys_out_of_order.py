# over: solution.py
# verdict: WA property
# group: insert
# en: The registry must be in the order of its numbers: parameters() and optimisers follow the
#   order, not the numbers.
# zh: 注册表的顺序必须与编号一致：`parameters()` 和优化器看的是顺序，不是编号。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
     def insert(self, index: int, module: nn.Module | None) -> None:
-        items = list(self)
+        self._register([*self, module])
+        items = [*self._modules.values()][:-1]
         items.insert(operator.index(index), module)
-        self._register(items)
+        names = [str(position) for position in range(len(items))]
+        at = next(i for i, item in enumerate(items) if item is module)
+        del self._modules[names[at]]
+        self._modules.update(zip(names, items, strict=True))
