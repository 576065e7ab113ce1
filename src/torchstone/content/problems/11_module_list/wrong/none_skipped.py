# over: solution.py
# verdict: WA property
# group: edge
# en: named_children skips None and repeated modules, but both are items of a list. Read the
#   registry.
# zh: named_children 会跳过 None 和重复的模块，而它们都是列表的项。应当读注册表。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        return iter(self._modules.values())
+        return iter([*self.children()])
