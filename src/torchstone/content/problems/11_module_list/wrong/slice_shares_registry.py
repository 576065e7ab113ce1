# over: solution.py
# verdict: WA property
# group: slice
# en: A full slice is a new list. One that hands out the list itself lets a change of the copy
#   change the source.
# zh: 完整切片也是新列表。把自己交出去，改动副本就改动了原列表。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
         if isinstance(idx, slice):
+            if range(len(self))[idx] == range(len(self)):
+                return self
