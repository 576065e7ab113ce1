import pytest

from torchstone.cudasim.accesses import show_accesses

pytestmark = pytest.mark.pure

BARRIER = '  call void asm sideeffect "", "~{memory}"()'


def copy_of(num_bytes: int, *, to_align: int = 16, from_align: int = 16) -> str:
    """Write the copy of a structure as LLVM 15 and later do."""
    return (
        f"  call void @llvm.memcpy.p0.p0.i64(ptr align {to_align} %1, ptr noundef nonnull align "
        f"{from_align} dereferenceable(16) %2, i64 {num_bytes}, i1 false), !dbg !7, !tbaa.struct !9"
    )


def test_a_copy_of_sixteen_bytes_is_one_load_and_one_store_of_its_line() -> None:
    assert show_accesses(copy_of(16)).split("\n") == [
        "  %cusim.0.from = getelementptr i8, ptr %2, i64 0",
        "  %cusim.0.to = getelementptr i8, ptr %1, i64 0",
        "  %cusim.0 = load <4 x i32>, ptr %cusim.0.from, align 16, !dbg !7",
        "  store <4 x i32> %cusim.0, ptr %cusim.0.to, align 16, !dbg !7",
    ]


def test_pointers_with_types_are_cast() -> None:
    copied = show_accesses(
        "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %1, i8* align 8 bitcast "
        "(%struct.double2* @table to i8*), i64 8, i1 false)"
    )
    assert copied.split("\n") == [
        "  %cusim.0.from.byte = getelementptr i8, i8* bitcast (%struct.double2* @table to i8*), "
        "i64 0",
        "  %cusim.0.from = bitcast i8* %cusim.0.from.byte to <2 x i32>*",
        "  %cusim.0.to.byte = getelementptr i8, i8* %1, i64 0",
        "  %cusim.0.to = bitcast i8* %cusim.0.to.byte to <2 x i32>*",
        "  %cusim.0 = load <2 x i32>, <2 x i32>* %cusim.0.from, align 8",
        "  store <2 x i32> %cusim.0, <2 x i32>* %cusim.0.to, align 8",
    ]


@pytest.mark.parametrize(
    ("num_bytes", "to_align", "from_align", "pieces"),
    [(16, 16, 16, 1), (12, 4, 4, 3), (12, 16, 16, 3), (32, 16, 16, 2), (16, 4, 16, 4),
     (24, 8, 8, 3), (4, 4, 4, 1), (3, 1, 1, 3), (16, 32, 32, 1), (64, 4, 4, 16)],
)  # fmt: skip
def test_a_copy_is_made_by_the_widest_accesses_that_its_alignment_allows(
    num_bytes: int, to_align: int, from_align: int, pieces: int
) -> None:
    copied = show_accesses(copy_of(num_bytes, to_align=to_align, from_align=from_align))
    assert copied.count(" = load ") == copied.count("store ") == pieces
    assert "memcpy" not in copied


@pytest.mark.parametrize(
    "text",
    [copy_of(0), copy_of(68, to_align=4), copy_of(4096), copy_of(16).replace("i1 false", "i1 true"),
     copy_of(16).replace("i64 16", "i64 %n")],
)  # fmt: skip
def test_long_copies_and_volatile_ones_and_those_of_any_length_stay_calls(text: str) -> None:
    assert show_accesses(text) == text


@pytest.mark.parametrize("name", ["threadIdx", "blockIdx", "blockDim", "gridDim"])
def test_what_tells_a_thread_who_it_is_is_constant(name: str) -> None:
    text = f"@{name} = external thread_local(initialexec) global %struct.uint3, align 4"
    assert show_accesses(text) == text.replace("global", "constant")


def test_what_a_thread_is_has_its_address_as_it_stands() -> None:
    text = "  %1 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @threadIdx), !dbg !5"
    assert show_accesses(text) == "  %1 = getelementptr i8, ptr @threadIdx, i64 0, !dbg !5"
    other = text.replace("threadIdx", "of_the_program")
    assert show_accesses(other) == other


def test_a_variable_of_the_program_stays_one() -> None:
    text = "@threadIdx2 = external global i32\n@counter = global i32 0"
    assert show_accesses(text) == text


def function(*lines: str) -> str:
    return "\n".join(["define void @f(ptr %0) {", *(f"  {each}" for each in lines), "}"])


@pytest.mark.parametrize("end", ["br label %9", "switch i32 %3, label %9 ["])
@pytest.mark.parametrize(
    "access", ["%3 = load i32, ptr %0, align 4", "store i32 1, ptr @x, align 4"]
)
def test_a_block_that_reads_or_writes_memory_ends_in_a_barrier(access: str, end: str) -> None:
    lines = show_accesses(function(access, end)).split("\n")
    assert lines == ["define void @f(ptr %0) {", f"  {access}", BARRIER, f"  {end}", "}"]


def test_a_block_that_touches_locals_only_has_none() -> None:
    text = function("%2 = alloca i32, align 4", "store i32 1, ptr %2, align 4", "br label %9")
    assert show_accesses(text) == text
    # The same number is another value in another function.
    other = function(
        "%2 = load ptr, ptr %0, align 8", "store i32 1, ptr %2, align 4", "br label %9"
    )
    assert show_accesses(f"{text}\n{other}").count(BARRIER) == 1


def test_each_block_has_its_own() -> None:
    text = function("%2 = load i32, ptr %0, align 4", "br label %3", "br label %4")
    assert show_accesses(text).count(BARRIER) == 1
