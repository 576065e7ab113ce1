# over: solution.py
# verdict: RTE
# group: edge
# en: Backward frees what the graph saved and writes into `.grad`. To look at a graph must not use
#   it up.
# zh: backward 会释放图里保存的张量，还会写入 `.grad`。查看一张图不应把它用掉。
@@
-    # What a node may have saved is known by its type; there are far fewer types than nodes.
-    attributes = {kind: _saved_attributes(kind) for kind in set(map(type, order))}
     storages: dict[int, int] = {}
-    return {
+    graph = {
@@
-        "nodes": [
-            _describe(fn, ids[fn], names or {}, _saved(fn, attributes[type(fn)]), storages)
-            for fn in order
-        ],
+        "nodes": [_describe(fn, ids[fn], names or {}, storages) for fn in order],
@@
         "saved_bytes": sum(storages.values()),
     }
+    _fill_in_shapes(graph["nodes"], order, _checked(outputs))
+    return graph
+
+
+def _fill_in_shapes(nodes: list[dict], order: list[Any], outputs: list[Tensor]) -> None:
+    """Let a backward pass show what arrives at each node."""
+    shapes: dict[Any, list[Any]] = {}
+    handles = [
+        fn.register_prehook(lambda gradients, fn=fn: shapes.__setitem__(fn, list(gradients)))
+        for fn in order
+    ]
+    torch.autograd.backward(outputs, [torch.ones_like(t) for t in outputs])
+    for handle in handles:
+        handle.remove()
+    for node, fn in zip(nodes, order, strict=True):
+        for output, gradient in zip(node["outputs"], shapes.get(fn, []), strict=False):
+            if gradient is not None:
+                output["shape"] = list(gradient.shape)
@@
-def _describe(
-    fn: Any,
-    number: int,
-    names: Mapping[str, Tensor],
-    tensors: Iterator[tuple[str, Tensor | None]],
-    storages: dict[int, int],
-) -> dict:
+def _describe(fn: Any, number: int, names: Mapping[str, Tensor], storages: dict[int, int]) -> dict:
@@
-    for name, tensor in sorted(tensors):
+    for name, tensor in sorted(_saved(fn)):
@@
-def _saved_attributes(kind: type) -> dict[str, str]:
-    """Return where nodes of a type keep what they saved, and the name of each in a description."""
-    if issubclass(kind, torch.autograd.function.BackwardCFunction):
-        return {"saved_tensors": "saved_tensors"}
-    return {a: a.removeprefix("_saved_") for a in dir(kind) if a.startswith("_saved_")}
-
-
-def _saved(fn: Any, attributes: dict[str, str]) -> Iterator[tuple[str, Tensor | None]]:
+def _saved(fn: Any) -> Iterator[tuple[str, Tensor | None]]:
     """Yield what a node saved for backward; None stands for what can no longer be read."""
+    if isinstance(fn, torch.autograd.function.BackwardCFunction):
+        attributes = {"saved_tensors": "saved_tensors"}
+    else:
+        attributes = {a: a.removeprefix("_saved_") for a in dir(fn) if a.startswith("_saved_")}
