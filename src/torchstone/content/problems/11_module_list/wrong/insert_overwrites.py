# over: solution.py
# verdict: WA property
# group: insert
# en: insert moves the items behind it by one place; what replaces an item is assignment.
# zh: insert 会把后面的项整体后移一位；替换某一项的是赋值。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        items.insert(operator.index(index), module)
+        index = operator.index(index)
+        items[index : index + 1] = [module]
