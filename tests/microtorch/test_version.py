"""The version that the package says it is."""

import torchstone.microtorch as micro
from torchstone.microtorch.version import Version


def test_versions_are_compared_by_their_numbers() -> None:
    assert Version("2.13.0+x") > "2.4" >= Version("2.4.0")
    assert Version("2.13.0") >= (2, 13)
    assert not Version("2.13.0") < (2, 2)
    assert Version("1.9") <= "1.10"


def test_the_package_says_which_pytorch_it_speaks() -> None:
    assert micro.__version__ > "2.0"
    assert micro.__version__.startswith("2.")
    assert micro.version.__version__ == micro.__version__ == str(micro.__version__)
    assert micro.version.cuda is None
