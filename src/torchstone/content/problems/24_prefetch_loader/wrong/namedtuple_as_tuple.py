# over: solution.py
# verdict: WA property
# group: structure
# en: A namedtuple takes its fields as arguments; a plain tuple has lost their names.
# zh: namedtuple 要把各字段作为参数传入；换成普通元组就丢了字段名。
@@
-        return type(tree)(*(map_tensors(function, item) for item in tree))
+        return tuple(map_tensors(function, item) for item in tree)
