# over: solution.py
# verdict: RTE
# group: edge
# en: The loader's batches belong to the loader: tensors that are replaced inside them are gone in
#     the second epoch.
# zh: 加载器的批次属于加载器：在其中就地替换张量，第二轮就找不到原来的了。
@@
-                ready.append((map_tensors(to_device, batch), stream.record_event()))
+                ready.append((in_place(to_device, batch), stream.record_event()))
@@
         raise error
+
+
+def in_place(function: Callable[[Tensor], Any], tree: Any) -> Any:
+    if isinstance(tree, dict):
+        for key, item in tree.items():
+            tree[key] = in_place(function, item)
+        return tree
+    return map_tensors(function, tree)
