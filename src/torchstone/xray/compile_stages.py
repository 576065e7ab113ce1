"""All stages of torch.compile from one run: graphs, guards, breaks, kernels, and lines of each.

Torch writes what it does while it compiles to a logger, for a tool that reads it later. Here a
handler takes the records as they come.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from torchstone.xray import private
from torchstone.xray.breaks import count_breaks, read_break
from torchstone.xray.guards import read_guards, read_recompiles
from torchstone.xray.lines import LineFinder

Record = tuple[dict[str, Any], Any]
Graph = dict[str, Any]
_STAGES = {
    "dynamo_output_graph": "dynamo",
    "aot_joint_graph": "joint",
    "aot_forward_graph": "forward",
    "aot_inference_graph": "forward",
    "aot_backward_graph": "backward",
}
_METRICS = ("graph_op_count", "graph_node_count", "graph_input_count", "guard_count")
_FILE = re.compile(r"^\s*# File: (.+):(\d+) in \w+")
_ASSIGNED = re.compile(r"^\s*(\w+)(?:: \"[^\"]*\")? = ")
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_KERNEL = re.compile(r"^(\w+) = async_compile\.\w+\(.*?'''(.*?)'''", re.M | re.S)
_CALLED = re.compile(r"\b(extern_kernels\.\w+|torch\.ops\.[\w.]+|cpp_fused\w*)\(")
# The folder and the name of what Inductor has compiled say nothing, and differ.
_CACHE = re.compile(r"/\S*torchinductor\S*|/judge/work/\S+")


class CompileWatch:
    """Keep what torch.compile writes while a program runs."""

    def __init__(self, lines: LineFinder) -> None:
        self._file = lines.file or ""
        self._records: list[Record] = []

    @contextmanager
    def on(self) -> Iterator[CompileWatch]:
        """Keep the records of the block."""
        with ExitStack() as entered:
            entered.enter_context(private.compile_settings())
            entered.enter_context(private.compile_records(self._records.append))
            yield self

    def data(self, ran: Any = None) -> dict[str, Any]:
        """Return the stages of each graph."""
        reader = _Reader(self._file)
        for meta, payload in self._records:
            reader.read(meta, payload)
        return reader.scene()


class _Reader:
    """Put the records of one run together."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._strings: dict[int, str] = {}
        self._graphs: dict[str, Graph] = {}
        self._breaks: list[dict[str, Any]] = []
        self._recompiles: list[dict[str, Any]] = []

    def read(self, meta: dict[str, Any], payload: Any) -> None:
        """Read one record."""
        if "str" in meta:
            name, number = meta["str"]
            self._strings[number] = name
            return
        if "frame_id" not in meta or meta["frame_id"] is None:
            return
        graph = self._graph(meta)
        if "dynamo_start" in meta:
            self._start(graph, meta["dynamo_start"]["stack"])
        for kind, stage in _STAGES.items():
            if kind in meta:
                graph[stage] = payload
        if "dynamo_cpp_guards_str" in meta:
            graph["guards"] = read_guards(payload, self._file)
        if "inductor_output_code" in meta:
            graph["codes"].append(payload)
        if "compilation_metrics" in meta:
            graph["metrics"] = {name: meta["compilation_metrics"].get(name) for name in _METRICS}
        if "artifact" in meta:
            self._artifact(graph, meta["artifact"]["name"], payload)

    def _graph(self, meta: dict[str, Any]) -> Graph:
        number = f"{meta['frame_id']}/{meta['frame_compile_id']}"
        graph = self._graphs.get(number)
        if graph is None or meta.get("attempt", 0) > graph["attempt"]:
            line = graph["line"] if graph else None
            frame = graph["frame"] if graph else ""
            graph = _new_graph(number, meta.get("attempt", 0), line, frame)
            self._graphs[number] = graph
        return graph

    def _start(self, graph: Graph, stack: list[dict[str, Any]]) -> None:
        frame = stack[-1]
        graph["frame"] = frame["name"]
        if self._strings.get(frame["filename"]) == self._file:
            graph["line"] = frame["line"]

    def _artifact(self, graph: Graph, name: str, payload: Any) -> None:
        if name == "dynamo_graph_break_reason":
            self._breaks.append(read_break(payload))
        elif name == "recompile_reasons":
            words = payload if isinstance(payload, str) else "\n".join(map(str, payload or ()))
            self._recompiles += read_recompiles(words, graph["line"])
        elif name == "before_pre_grad_graph":
            graph["pre_grad"] = payload
        elif name == "inductor_post_grad_graph":
            graph["posts"].append(payload)
        elif name == "inductor_provenance_tracking_node_mappings":
            graph["mappings"].append(_json(payload))
        elif name == "inductor_provenance_tracking_kernel_stack_traces":
            graph["traces"].append(_json(payload))

    def scene(self) -> dict[str, Any]:
        """Return all graphs that have come to an end, with the map of lines."""
        graphs = [self._finished(graph) for graph in self._graphs.values() if graph["dynamo"]]
        breaks = count_breaks(self._breaks)
        for each in breaks:
            if each.pop("file") != self._file:
                each["line"] = None
        for order, each in enumerate(self._recompiles):
            each["order"] = order
        return {
            "graphs": graphs,
            "breaks": breaks,
            "recompiles": [{k: v for k, v in e.items() if k != "order"} for e in self._recompiles],
            "map": _map(graphs),
        }

    def _finished(self, graph: Graph) -> Graph:
        kernels = [
            kernel
            for place, code in enumerate(graph["codes"])
            for kernel in self._kernels(graph, place, code)
        ]
        return {
            "id": graph["id"],
            "frame": graph["frame"],
            "line": graph["line"],
            "dynamo": _clean(graph["dynamo"]),
            "pre_grad": _clean(graph["pre_grad"]),
            "joint": _clean(graph["joint"]),
            "forward": _clean(graph["forward"]),
            "backward": _clean(graph["backward"]),
            "post_grad": [_clean(text) for text in graph["posts"]],
            "kernels": kernels,
            "guards": graph["guards"],
            "metrics": graph["metrics"],
            "nodes": node_lines(graph["pre_grad"] or graph["dynamo"] or "", self._file),
        }

    def _kernels(self, graph: Graph, place: int, code: str) -> Iterator[dict[str, Any]]:
        sources = dict(_KERNEL.findall(code))
        mapping = graph["mappings"][place] if place < len(graph["mappings"]) else {}
        traces = graph["traces"][place] if place < len(graph["traces"]) else {}
        to_post = mapping.get("cppCodeToPost", {})
        for key in dict.fromkeys([*to_post, *traces]):
            name = key.rpartition(":")[0] or key
            yield {
                "name": name,
                "stage": "backward" if place else "forward",
                "code": _clean(sources.get(name, "")),
                "nodes": sorted(to_post.get(key, [])),
                "lines": self._lines_of(traces.get(key, [])),
            }

    def _lines_of(self, traces: list[str]) -> list[int]:
        found = {
            int(line)
            for trace in traces
            for file, line in _FRAME.findall(trace)
            if file == self._file
        }
        return sorted(found)


def _new_graph(number: str, attempt: int, line: int | None, frame: str) -> Graph:
    texts = dict.fromkeys(("dynamo", "pre_grad", "joint", "forward", "backward"))
    lists: dict[str, list[Any]] = {
        name: [] for name in ("codes", "posts", "mappings", "traces", "guards")
    }
    head = {"id": number, "attempt": attempt, "line": line, "frame": frame, "metrics": {}}
    return {**head, **texts, **lists}


def node_lines(graph: str, file: str) -> list[dict[str, Any]]:
    """Return the nodes of a printed graph with the lines that they come from."""
    found, line = [], None
    for row in graph.splitlines():
        place, assigned = _FILE.match(row), _ASSIGNED.match(row)
        if place is not None:
            line = int(place[2]) if place[1] == file else None
        elif assigned is not None and "placeholder" not in row and line is not None:
            found.append({"name": assigned[1], "line": line})
    return found


def _map(graphs: list[Graph]) -> list[dict[str, Any]]:
    lines: dict[int, dict[str, Any]] = {}
    for graph in graphs:
        for node in graph["nodes"]:
            entry = lines.setdefault(node["line"], {"nodes": [], "kernels": []})
            entry["nodes"].append(f"{graph['id']}:{node['name']}")
        for kernel in graph["kernels"]:
            for line in kernel["lines"]:
                entry = lines.setdefault(line, {"nodes": [], "kernels": []})
                name = f"{graph['id']}:{kernel['name']}"
                if name not in entry["kernels"]:
                    entry["kernels"].append(name)
    return [{"line": line, **entry} for line, entry in sorted(lines.items())]


def _clean(text: str | None) -> str | None:
    return None if text is None else _CACHE.sub("…", text)


def _json(payload: Any) -> Any:
    return json.loads(payload) if isinstance(payload, str) else payload or {}
