# verdict: FORBIDDEN_OP
# en: nn.ModuleList under another name.
# zh: 给 `nn.ModuleList` 换个名字。
from torch import nn

MyModuleList = nn.ModuleList
