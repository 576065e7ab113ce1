# verdict: RTE
# en: Ends the process while the file is read, with the exit code of success.
# zh: 读入文件时就以成功的退出码结束进程。
import os

from torch import nn


class MyModuleList(nn.Module):
    pass


os._exit(0)
