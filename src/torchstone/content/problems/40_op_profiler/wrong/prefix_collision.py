# over: solution.py
# verdict: WA property
# group: edge
# en: Labels are compared by their beginning: layer12 counts for layer1. Compare whole labels.
# zh: 按开头比较标签：layer12 被算作 layer1。应比较完整标签。
@@
-            begin = partial(self._begin, number)
+            begin = partial(self._begin, self._layers[number][0])
@@
-                row = rows[int(name.removeprefix(LAYER))]
+                path = name.removeprefix(LAYER)
+                row = next(
+                    each
+                    for each in rows
+                    if each.name.count(".") == path.count(".")
+                    and path.startswith(each.name)
+                    and bool(path) == bool(each.name)
+                )
