# over: solution.py
# verdict: WA property
# group: errors
# en: extend that checks item by item leaves the first ones behind when a later one is wrong.
#   Check all, then change.
# zh: extend 边检查边添加，后面的项出错时，前面的已经留在列表里了。应先全部检查，再修改。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        self._register([*self, *modules])
+        for module in list(modules):
+            self._register([*self, module])
