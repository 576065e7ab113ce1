"""The grammar of patterns, one fault of the prototype after the other."""

import pytest

from torchstone.study.marking import Asked, Family, Phrases, Point, load_phrases, mark
from torchstone.study.marking.patterns import compile_pattern, split_alternatives

pytestmark = pytest.mark.pure

PHRASES = load_phrases()


def says(pattern: str, answer: str, phrases: Phrases = PHRASES, **subjects: str) -> bool:
    """Tell whether a pattern finds its key point in an answer."""
    asked = Asked(
        id="1.1.1.1.1",
        words={"en": "What is it?", "zh": "这是什么？"},
        points=(Point(id="point", weight=1, say={"en": (pattern,)}),),
        subjects=subjects,
    )
    return mark(answer, asked, phrases).coverage == 1.0


def test_escaped_brackets_and_classes_do_not_count_as_brackets():
    assert list(split_alternatives(r"log\(0\)|a(b|c)|[(|]|d")) == [
        r"log\(0\)",
        "a(b|c)",
        "[(|]",
        "d",
    ]


def test_no_governs_the_alternatives_after_it_unless_in_brackets():
    assert says("no:share|copy", "It does not copy the data.")
    assert not says("no:share|copy", "It makes a copy of the data.")
    assert says("no:(share)|copy", "It makes a copy of the data.")


def test_a_negation_reaches_over_more_than_three_words():
    assert says("no:copied", "None of the numbers in the tensor are copied.")
    assert says("no:(复制)", "它不会把底层的数据复制一遍。")
    assert not says("no:copied", "It is not slow and the data are copied.")


def test_a_gap_does_not_hide_a_negation():
    assert says("view .{0,12}shares", "Here view always shares the data.")
    assert not says("view .{0,12}shares", "Here view never shares the data.")
    assert not says("会.{0,4}复制", "它会保证不复制。")


def test_plurals_endings_and_parts_of_names_are_the_word():
    assert says("state_dict", "The state_dicts are merged here.")
    assert says("keep", "It keeps the order of the rows.")
    assert says("unpool", "That is what MaxUnpool2d is for.")
    assert says("n't", "It doesn't matter here.")
    assert not says("art", "It starts with the first part.")


def test_a_pattern_can_ask_for_the_sign_of_the_matrix_product():
    assert says(r"\@", "Write a @ b for the product of them.")


def test_upper_case_tells_the_class_from_the_function():
    names = {"function": "torch.tensor", "class": "torch.Tensor"}
    assert says("@function & copies", "torch.tensor always copies its data.", **names)
    assert not says("@class & copies", "torch.tensor always copies its data.", **names)
    assert says("@class & alias", "torch.Tensor is an alias of FloatTensor.", **names)


def test_a_term_is_any_of_its_forms_in_either_language():
    assert says("{stride}", "步长决定怎么读内存。")
    assert says("{stride}", "The strides tell how to read the memory.")


def test_a_slot_that_takes_the_head_of_a_family_takes_all_of_it():
    family = Family(heads=("raises",), en=("blows? up",), zh=("炸",))
    phrases = Phrases(glossary=PHRASES.glossary, families={"raise": family})
    assert says("rais(e|es)", "Then view simply blows up.", phrases)
    assert says("<raise>", "这时 view 会炸。", phrases)
    assert not says("fails", "Then view simply blows up.", phrases)


def test_an_unknown_family_and_a_broken_expression_are_named():
    with pytest.raises(ValueError, match="<nothing> is no family"):
        compile_pattern("<nothing>", PHRASES)
    with pytest.raises(ValueError, match="is no pattern"):
        compile_pattern("a(b", PHRASES)
    with pytest.raises(ValueError, match="slot of words"):
        compile_pattern("@view", PHRASES)


def test_a_word_inside_an_expression_stands_for_its_family_too():
    assert says("(nodes|节点)(是|就是)(各个)?(张量|变量)", "图里的 node 就是 tensor。")
    assert says("切片(会|总)复制", "切片会拷贝数据。")
    assert not says("切片(会|总)复制", "切片会共享数据。")
    for unchanged in ("副本?", "[复制]", "copy(ing)?"):
        assert PHRASES.spread(unchanged) == unchanged
    assert Phrases(glossary=PHRASES.glossary).spread("copies") == "copies"


def test_fillers_between_chinese_words_change_nothing():
    assert says("节点就?是张量", "每个节点就是一个张量。")
    assert says("保留尺寸", "保留了原来的尺寸") is False


def test_what_is_denied_at_once_is_not_said_unless_it_is_asked_for():
    assert not says("copies", "It does not really copy.")
    assert not says("复制", "它不会再复制。")
    assert says("no:copies", "It does not really copy.")
    assert says("不会再?复制", "它不会再复制。")
    # Another word stands between.
    assert says("shares", "It never moves a number and shares the memory.")
