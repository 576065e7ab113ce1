import pytest

from torchstone.cudasim.rewrite import rewrite

pytestmark = pytest.mark.pure

NOINLINE = "__attribute__((noinline))"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__noinline__ int f();", f"{NOINLINE} int f();"),
        ("int __noinline__ f();", f"int {NOINLINE} f();"),
        ("#define SLOW __noinline__ static\n", f"#define SLOW {NOINLINE} static\n"),
        ("#define D(x) __noinline__ x\n", f"#define D(x) {NOINLINE} x\n"),
    ],
)
def test_a_function_that_is_not_to_be_inlined_gets_the_attribute(source, expected):
    assert rewrite(source).text == expected


@pytest.mark.parametrize(
    "source",
    [
        "__attribute__((__noinline__)) int f();",
        "__attribute__((cold, __noinline__)) int f();",
        "[[gnu::__noinline__]] int f();",
        "#define SLOW __attribute__((__noinline__))\n",
        "#ifndef __noinline__\n#define __noinline__\n#endif\n",
    ],
)
def test_what_is_an_attribute_already_stays(source):
    assert rewrite(source).text == source
