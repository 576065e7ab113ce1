# outcome: FORBIDDEN_OP
# tries: read memory at a number by the code generator of the tensor expressions
import torch

te = torch._C._te
value = torch.ones(4)
buffer, index = (
    te.BufHandle("b", [te.ExprHandle.int(4)], te.Dtype.Float),
    te.VarHandle("i", te.Dtype.Int),
)
loop = te.For.make(index, te.ExprHandle.int(0), te.ExprHandle.int(4), te.Stmt())
te.construct_codegen("ir_eval", loop, [buffer]).call_raw([value.data_ptr()])
