# verdict: FORBIDDEN_OP
# en: Reads the file in which the builtin is defined.
# zh: 读取定义内置实现的文件。
import pathlib

import torch

folder = pathlib.Path(torch.__file__).parent
source = (folder / "nn" / "modules" / "container.py").read_text()
scope = {"__name__": "container"}
exec(source.replace("from .module import", "from torch.nn.modules.module import"), scope)
MyModuleList = scope["ModuleList"]
