# verdict: FORBIDDEN_OP
# en: Reads the source of the builtin and executes it under another name.
# zh: 读出内置实现的源码，换个名字执行。
import inspect

from torch import nn

scope = dict(vars(nn))
exec(inspect.getsource(nn.ModuleList).replace("ModuleList", "MyModuleList"), scope)
MyModuleList = scope["MyModuleList"]
