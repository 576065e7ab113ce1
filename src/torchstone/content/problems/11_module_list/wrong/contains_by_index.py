# over: solution.py
# verdict: WA property
# group: small
# en: `in` asks whether this object is an item, not whether a key of that name exists.
# zh: `in` 问的是这个对象是不是一项，而不是有没有这个键。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        return any(item is module for item in self)
+        return str(module) in self._modules
