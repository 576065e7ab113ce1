"""Messages of both compilers are read, and told of the program as it was written."""

import pytest

from torchstone.cudasim.diagnostics import (
    Texts,
    draw_line,
    name_of_source,
    read_messages,
    render_messages,
)

pytestmark = pytest.mark.pure

WRITTEN = "#include <cuda_runtime.h>\nint f() {\n    k<<<1, 2>>>(中文, x);\n\treturn y;\n}\n"
COMPILED = WRITTEN.replace("k<<<1, 2>>>(中文, x)", "::cusim::Launch(1, 2).run(&k, 中文, x)")


def read(said: str, *, counts_bytes: bool = False) -> list[tuple[str, int, int, str, str]]:
    texts = Texts(
        written={"a.cu": WRITTEN, "../up.h": "int g();\n"},
        compiled={"a.cu": COMPILED, "../up.h": "int g();\n"},
        counts_bytes=counts_bytes,
    )
    return [
        (each.file, each.line, each.column, each.severity, each.message)
        for each in read_messages(said, texts)
    ]


def test_a_message_of_gcc_in_a_header_is_told_of_the_line_that_led_there() -> None:
    said = """In file included from /lib/include/cusim/cusim.h:19,
                 from cusim-all.h:1:
/lib/launch.h: In instantiation of \u2018int cusim::Launch::run(void (*)(P ...)) const\u2019:
a.cu:3:30:   required from here
/lib/launch.h:74:36: error: static assertion failed: the kernel takes another number of arguments
/lib/launch.h:74:36: note: the comparison reduces to \u2018(4 == 3)\u2019
"""
    assert [(each[1], each[4]) for each in read(said)] == [
        (3, "the kernel takes another number of arguments")
    ]


def test_a_message_of_clang_in_a_header_is_told_of_the_line_that_led_there() -> None:
    said = """/lib/launch.h:74:36: error: static assertion failed: the kernel takes another number
/lib/launch.h:80:1: note: in instantiation of member function 'x' requested here
a.cu:3:30: note: in instantiation of function template specialization requested here
1 error generated.
"""
    assert [(each[0], each[1]) for each in read(said, counts_bytes=True)] == [("a.cu", 3)]


@pytest.mark.parametrize(
    ("column", "counts_bytes", "written"),
    [
        (5, False, 5),
        (32, False, 5),
        (35, False, 17),
        (41, False, 21),
        (35, True, 17),
        (43, True, 21),
    ],
)
def test_a_column_is_that_of_the_written_line(
    column: int, counts_bytes: bool, written: int
) -> None:
    ((_, _, found, _, _),) = read(f"a.cu:3:{column}: error: e", counts_bytes=counts_bytes)
    assert found == written


def test_a_file_above_has_its_own_name_again() -> None:
    assert read("up_/up.h:1:5: error: e") == [("../up.h", 1, 5, "error", "e")]
    assert name_of_source("./././a.cu") == "a.cu"
    assert name_of_source("up_/up_/x/up_/a.h") == "../../x/up_/a.h"


def test_warnings_and_notes_about_our_headers_are_left_out() -> None:
    said = """a.cu:4:2: warning: unused
a.cu:4:9: error: 'cusim::thing' of type 'tile_t_ {aka int}'
/lib/abi.h:3:1: note: candidate: 'void cusim_x()'
/lib/abi.h:3:1: note:   candidate expects 1 argument
a.cu:2:5: note: declared here
"""
    assert read(said) == [
        ("a.cu", 4, 9, "error", "'thing' of type 'tile {aka int}'"),
        ("a.cu", 2, 5, "note", "declared here"),
    ]


@pytest.mark.parametrize(
    "said",
    ["/usr/bin/ld: /tmp/x.o: in function `f()':\n./a.cu:4: undefined reference to `g()'",
     "/usr/bin/ld.gold: a.cu:4: undefined reference to `g()'",
     "/bin/ld: /tmp/x.o: in function `f()':\n./a.cu:4:(.text+0x5): undefined reference to `g()'"],
)  # fmt: skip
def test_the_linker_is_understood_too(said: str) -> None:
    assert read(said) == [("a.cu", 4, 0, "error", "undefined reference to 'g()'")]


def test_errors_without_a_line_are_kept_only_if_nothing_else_is_known() -> None:
    lost = "/lib/x.h:1:1: error: lost"
    assert read(lost) == [("", 0, 0, "error", "lost")]
    assert [each[4] for each in read(f"{lost}\na.cu:4:9: error: here")] == ["here"]
    assert read("g++: fatal error") == []


def test_a_message_is_drawn_with_its_line_and_wide_signs_count_twice() -> None:
    texts = Texts(written={"a.cu": WRITTEN}, compiled={"a.cu": COMPILED})
    drawn = render_messages(read_messages("a.cu:4:9: error: e", texts), texts.written)
    assert drawn == "a.cu:4:9: error: e\n    4 | \treturn y;\n      | \t       ^"
    assert draw_line("中文 = x;", 7, begin=3, end=8) == [
        "    7 | 中文 = x;",
        "      |      ^~~~",
    ]
