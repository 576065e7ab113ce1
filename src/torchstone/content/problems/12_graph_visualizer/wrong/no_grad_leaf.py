# over: solution.py
# verdict: RTE
# group: layout
# en: The node of a leaf appears with the first recorded operation. Under no_grad nothing is
#   recorded: enable recording for that one view.
# zh: 叶子的节点随第一个被记录的操作出现。在 no_grad 下什么也不记录：取这个视图时要重新开启记录。
@@
-from torch.autograd.graph import get_gradient_edge
+from torch.autograd.graph import GradientEdge
@@
-    roots = [get_gradient_edge(output) for output in _checked(outputs)]
+    roots = [GradientEdge(_node(t), t.output_nr) for t in _checked(outputs)]
@@
-    # What a node may have saved is known by its type; there are far fewer types than nodes.
-    attributes = {kind: _saved_attributes(kind) for kind in set(map(type, order))}
@@
-        "nodes": [
-            _describe(fn, ids[fn], names or {}, _saved(fn, attributes[type(fn)]), storages)
-            for fn in order
-        ],
+        "nodes": [_describe(fn, ids[fn], names or {}, storages) for fn in order],
@@
         "saved_bytes": sum(storages.values()),
     }
+
+
+def _node(tensor: Tensor) -> Any:
+    if tensor.grad_fn is not None:
+        return tensor.grad_fn
+    return tensor.view_as(tensor).grad_fn.next_functions[0][0]
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
