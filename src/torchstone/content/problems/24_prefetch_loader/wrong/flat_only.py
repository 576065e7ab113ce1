# over: solution.py
# verdict: WA property
# group: structure
# en: Batches are trees.
# zh: 批次是一棵树，要递归处理。
@@
-        return {key: map_tensors(function, item) for key, item in tree.items()}
+        return {key: map_flat(function, item) for key, item in tree.items()}
     if isinstance(tree, tuple) and hasattr(tree, "_fields"):
-        return type(tree)(*(map_tensors(function, item) for item in tree))
+        return type(tree)(*(map_flat(function, item) for item in tree))
     if isinstance(tree, (list, tuple)):
-        return type(tree)(map_tensors(function, item) for item in tree)
+        return type(tree)(map_flat(function, item) for item in tree)
     return tree
+
+
+def map_flat(function: Callable[[Tensor], Any], item: Any) -> Any:
+    return function(item) if isinstance(item, Tensor) else item
