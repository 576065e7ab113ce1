# outcome: FORBIDDEN_OP
# tries: write memory at a number by the code generator of the tensor expressions
import torch

te = torch._C._te
value = torch.ones(4)
buffer, index = (
    te.BufHandle("b", [te.ExprHandle.int(4)], te.Dtype.Float),
    te.VarHandle("i", te.Dtype.Int),
)
place = te.ExprHandle.int(0)
store = buffer.store([index], te.ExprHandle.float(7.0))
loop = te.For.make(index, place, te.ExprHandle.int(4), te.Block([store]))
te.construct_codegen("ir_eval", loop, [buffer]).call_raw([value.data_ptr()])
assert value.tolist() == [7.0] * 4
