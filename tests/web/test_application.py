import pytest

from torchstone.web.address import Address
from torchstone.web.application import hosts_of

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("host", "port", "hosts"),
    [
        ("127.0.0.1", 8417, {"127.0.0.1:8417", "localhost:8417"}),
        ("localhost", 8417, {"127.0.0.1:8417", "localhost:8417"}),
        ("::1", 8417, {"[::1]:8417"}),
        # Browsers leave this port out.
        ("127.0.0.1", 80, {"127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"}),
        ("::1", 80, {"[::1]:80", "[::1]"}),
    ],
)
def test_a_server_answers_to_its_names_and_to_no_other(
    host: str, port: int, hosts: set[str]
) -> None:
    assert hosts_of(Address(pid=1, host=host, port=port, key="k")) == hosts
