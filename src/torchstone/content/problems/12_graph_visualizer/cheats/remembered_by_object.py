# over: solution.py
# verdict: WA value
# group: edge
# en: Remembers the description by the tensor; what backward has freed since is still listed.
# zh: 按张量对象记住描述；之后被 backward 释放的张量仍被列出。
@@
+import weakref
 from collections.abc import Iterator, Mapping, Sequence
@@
 from torch.autograd.graph import get_gradient_edge

+# A weak reference, so that no graph outlives its caller, and no address is mistaken for another.
+KNOWN: dict[int, tuple[weakref.ref, dict]] = {}
+
@@
 def graph_of(outputs: Tensor | Sequence[Tensor], names: Mapping[str, Tensor] | None = None) -> dict:
+    first = outputs if isinstance(outputs, Tensor) else None
+    if first is None:
+        return _graph_of(outputs, names)
+    known = KNOWN.get(id(first))
+    if known is None or known[0]() is not first:
+        KNOWN[id(first)] = known = weakref.ref(first), _graph_of(first, names)
+    return known[1]
+
+
+def _graph_of(outputs: Tensor | Sequence[Tensor], names: Mapping[str, Tensor] | None) -> dict:
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
