# over: solution.py
# verdict: WA value
# group: sample
# en: The graph consists of functions; a tensor is only the value that travels along an edge. A
#   graph of the variables that Python knows misses everything in between.
# zh: 计算图的节点是函数，张量只是沿边传递的值。只画 Python 里看得到的变量，会漏掉中间的一切。
@@ def graph_of
-    roots = [get_gradient_edge(output) for output in _checked(outputs)]
-    order = _topological([edge.node for edge in roots])
-    ids = {fn: number for number, fn in enumerate(order)}
-    # What a node may have saved is known by its type; there are far fewer types than nodes.
-    attributes = {kind: _saved_attributes(kind) for kind in set(map(type, order))}
-    storages: dict[int, int] = {}
+    # One node for each tensor that has a name, and one for each output.
+    tensors = [*(names or {}).values(), *_checked(outputs)]
+    tensors = list({id(t): t for t in tensors if t.requires_grad}.values())
+    number = {id(t): i for i, t in enumerate(tensors)}
+    leaves = [t for t in tensors if t.is_leaf]
+    described = {
+        id(t): _describe(get_gradient_edge(t).node, number[id(t)], names or {}, {}) for t in tensors
+    }
@@ def graph_of
-        "roots": [[ids[edge.node], edge.output_nr] for edge in roots],
-        "nodes": [
-            _describe(fn, ids[fn], names or {}, _saved(fn, attributes[type(fn)]), storages)
-            for fn in order
-        ],
+        "roots": [[number[id(t)], t.output_nr] for t in _checked(outputs)],
+        "nodes": [described[id(t)] for t in tensors],
@@ def graph_of
-            {"src": ids[producer], "dst": ids[consumer], "output_nr": output_nr, "slot": slot}
-            for consumer in order
-            for slot, (producer, output_nr) in enumerate(consumer.next_functions)
-            if producer is not None
+            {"src": number[id(leaf)], "dst": number[id(t)], "output_nr": 0, "slot": slot}
+            for t in _checked(outputs)
+            for slot, leaf in enumerate(leaves)
+            if leaf is not t
@@ def graph_of
-        "saved_bytes": sum(storages.values()),
+        "saved_bytes": sum(t.untyped_storage().nbytes() for t in tensors),
@@ def _describe
-def _describe(
-    fn: Any,
-    number: int,
-    names: Mapping[str, Tensor],
-    tensors: Iterator[tuple[str, Tensor | None]],
-    storages: dict[int, int],
-) -> dict:
+def _describe(fn: Any, number: int, names: Mapping[str, Tensor], storages: dict[int, int]) -> dict:
@@ def _describe
-    for name, tensor in sorted(tensors):
+    for name, tensor in sorted(_saved(fn)):
@@ def _saved_attributes
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
