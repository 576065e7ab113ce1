# over: solution.py
# verdict: TLE | MLE
# group: large
# en: In a row of diamonds the number of paths is 2 to the depth. Visit nodes, not paths: mark
#   each node when it is first seen.
# zh: 一串菱形的路径数是 2 的深度次方。要遍历节点而不是路径：首次见到就做标记。
@@ def graph_of
-    # What a node may have saved is known by its type; there are far fewer types than nodes.
-    attributes = {kind: _saved_attributes(kind) for kind in set(map(type, order))}
@@ def graph_of
-        "nodes": [
-            _describe(fn, ids[fn], names or {}, _saved(fn, attributes[type(fn)]), storages)
-            for fn in order
-        ],
+        "nodes": [_describe(fn, ids[fn], names or {}, storages) for fn in order],
@@ def _topological
-    # A node is listed after all its producers: depth first, each node when its inputs are done.
-    # The stack is a list of iterators, so that a long chain needs no recursion.
-    order, seen = [], set()
-    for start in starts:
-        if start in seen:
-            continue
-        seen.add(start)
-        stack = [(start, iter(start.next_functions))]
-        while stack:
-            fn, inputs = stack[-1]
-            for producer, _ in inputs:
-                if producer is not None and producer not in seen:
-                    seen.add(producer)
-                    stack.append((producer, iter(producer.next_functions)))
-                    break
-            else:
-                order.append(fn)
-                stack.pop()
-    return order
+    # The last visit of a node on any path puts it behind all its consumers.
+    order: dict[Any, None] = {}
+    stack = list(starts)
+    while stack:
+        fn = stack.pop()
+        order.pop(fn, None)
+        order[fn] = None
+        stack += [producer for producer, _ in fn.next_functions if producer is not None]
+    return list(reversed(order))
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
