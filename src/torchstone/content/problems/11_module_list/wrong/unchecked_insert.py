# over: solution.py
# verdict: WA property
# group: errors
# en: Every way in checks the type: insert, too, refuses what is no module.
# zh: 每个入口都要检查类型：insert 也必须拒绝不是模块的东西。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
         items.insert(operator.index(index), module)
-        self._register(items)
+        self._modules = {str(position): item for position, item in enumerate(items)}
