# outcome: WA | RTE
# tries: name a module of torch as a dtype, which is imported when it is asked for
# groups: sample small
import sys

sys.modules["child.protocol.wire"]._Writer._torch_node = lambda self, value: {
    "x": ["_inductor", [1], [1], 0, self._blob(bytes(8))]
}
