# over: solution.py
# verdict: WA property
# group: edge
# en: Ask whether the argument is None, not whether it is true: an iterable may be falsy and still
#   have items.
# zh: 应当问参数是不是 None，而不是问真假：可迭代对象可以为假，却仍有元素。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
-        if modules is not None:
+        if modules:
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
