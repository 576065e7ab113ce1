# over: solution.py
# verdict: RTE
# group: large
# en: A loop of a thousand steps makes a graph that is deeper than Python's stack. Keep a stack of
#   your own.
# zh: 循环一千次，图就比 Python 的递归栈还深。要用自己的栈。
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
     order, seen = [], set()
+
+    def visit(fn: Any) -> None:
+        if fn in seen:
+            return
+        seen.add(fn)
+        for producer, _ in fn.next_functions:
+            if producer is not None:
+                visit(producer)
+        order.append(fn)
+
@@ def _topological
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
+        visit(start)
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
