# verdict: FORBIDDEN_OP
# en: Imports the module in which the builtin is defined.
# zh: 导入定义内置实现的模块。
from torch.nn.modules.container import ModuleList


class MyModuleList(ModuleList):
    pass
