# over: solution.py
# verdict: FORBIDDEN_OP
# en: Takes the block from torchvision.
# zh: 直接拿 torchvision 的块来用。
@@
-from torch import Tensor, nn
+from torch import Tensor, nn
+from torchvision.models.resnet import BasicBlock
@@
-                blocks.append(Block(channels, width, stride))
+                blocks.append(BasicBlock(channels, width, stride))
