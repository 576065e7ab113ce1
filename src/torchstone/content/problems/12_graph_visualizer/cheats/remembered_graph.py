# over: solution.py
# verdict: WA value
# group: dot
# en: to_dot draws its argument. A graph that graph_of remembered may be another one.
# zh: `to_dot` 画的是它的参数；`graph_of` 记下的那张图可能是另一张。
@@
+import copy
 from collections.abc import Iterator, Mapping, Sequence
@@
 from torch.autograd.graph import get_gradient_edge

+LAST: dict = {}
+
@@ def graph_of
-    # What a node may have saved is known by its type; there are far fewer types than nodes.
-    attributes = {kind: _saved_attributes(kind) for kind in set(map(type, order))}
@@ def graph_of
-    return {
-        "roots": [[ids[edge.node], edge.output_nr] for edge in roots],
-        "nodes": [
-            _describe(fn, ids[fn], names or {}, _saved(fn, attributes[type(fn)]), storages)
-            for fn in order
-        ],
-        "edges": [
-            {"src": ids[producer], "dst": ids[consumer], "output_nr": output_nr, "slot": slot}
-            for consumer in order
-            for slot, (producer, output_nr) in enumerate(consumer.next_functions)
-            if producer is not None
-        ],
-        "saved_bytes": sum(storages.values()),
-    }
+    LAST.clear()
+    LAST.update(
+        {
+            "roots": [[ids[edge.node], edge.output_nr] for edge in roots],
+            "nodes": [_describe(fn, ids[fn], names or {}, storages) for fn in order],
+            "edges": [
+                {"src": ids[producer], "dst": ids[consumer], "output_nr": output_nr, "slot": slot}
+                for consumer in order
+                for slot, (producer, output_nr) in enumerate(consumer.next_functions)
+                if producer is not None
+            ],
+            "saved_bytes": sum(storages.values()),
+        }
+    )
+    return copy.deepcopy(LAST)
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
@@ def to_dot
     """Draw a description in the language of Graphviz."""
+    graph = LAST
