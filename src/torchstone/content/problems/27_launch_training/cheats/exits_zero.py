# verdict: WA property
# en: Ends with exit code 0 and does nothing.
# zh: 什么都不做，以退出码 0 结束。
import sys

sys.exit(0)
