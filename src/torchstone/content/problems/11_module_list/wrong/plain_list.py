# over: solution.py
# verdict: WA property
# group: sample
# en: A list in an attribute is invisible to nn.Module: no parameters, no state_dict, no .to().
#   Register every item.
# zh: 放在普通属性里的 list，`nn.Module` 看不见：没有参数，没有 state_dict，`.to()` 也到不了。每一
#   项都要注册。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
+        self.items = []
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        self._modules = {str(position): item for position, item in enumerate(items)}
+        self.items = items
@@
-        return len(self._modules)
+        return len(self.items)
@@
-        return iter(self._modules.values())
+        return iter(self.items)
@@
-        return self._modules[str(self._position(idx))]
+        return self.items[self._position(idx)]
