# over: solution.py
# verdict: WA value
# group: small
# en: `x * x` uses x twice. The gradient arrives on two edges and is summed, so both edges belong
#   into the picture.
# zh: `x * x` 用了 x 两次：梯度沿两条边到达再相加，所以两条边都要画。
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
-            {"src": ids[producer], "dst": ids[consumer], "output_nr": output_nr, "slot": slot}
-            for consumer in order
-            for slot, (producer, output_nr) in enumerate(consumer.next_functions)
-            if producer is not None
+            {"src": src, "dst": dst, "output_nr": output_nr, "slot": slot}
+            for (src, dst), (output_nr, slot) in _pairs(order, ids).items()
@@
         "saved_bytes": sum(storages.values()),
     }
+
+
+def _pairs(order: list[Any], ids: dict[Any, int]) -> dict[tuple[int, int], tuple[int, int]]:
+    pairs = {}
+    for consumer in order:
+        for slot, (producer, output_nr) in enumerate(consumer.next_functions):
+            if producer is not None:
+                pairs.setdefault((ids[producer], ids[consumer]), (output_nr, slot))
+    return pairs
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
