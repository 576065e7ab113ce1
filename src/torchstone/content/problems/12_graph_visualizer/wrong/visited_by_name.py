# over: solution.py
# verdict: WA value
# group: small
# en: Two MulBackward0 are two nodes: a name is the type of a node, not its identity.
# zh: 两个 MulBackward0 是两个节点：名字是节点的类型，不是它的身份。
@@
-    ids = {fn: number for number, fn in enumerate(order)}
-    # What a node may have saved is known by its type; there are far fewer types than nodes.
-    attributes = {kind: _saved_attributes(kind) for kind in set(map(type, order))}
+    ids = {fn.name(): number for number, fn in enumerate(order)}
@@
-        "roots": [[ids[edge.node], edge.output_nr] for edge in roots],
-        "nodes": [
-            _describe(fn, ids[fn], names or {}, _saved(fn, attributes[type(fn)]), storages)
-            for fn in order
-        ],
+        "roots": [[ids[edge.node.name()], edge.output_nr] for edge in roots],
+        "nodes": [_describe(fn, ids[fn.name()], names or {}, storages) for fn in order],
@@
-            {"src": ids[producer], "dst": ids[consumer], "output_nr": output_nr, "slot": slot}
+            {
+                "src": ids[producer.name()],
+                "dst": ids[consumer.name()],
+                "output_nr": output_nr,
+                "slot": slot,
+            }
@@
-        if start in seen:
+        if start.name() in seen:
@@
-        seen.add(start)
+        seen.add(start.name())
@@
-                if producer is not None and producer not in seen:
-                    seen.add(producer)
+                if producer is not None and producer.name() not in seen:
+                    seen.add(producer.name())
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
