from pathlib import Path

import pytest

from torchstone.core.config import Settings, load_settings
from torchstone.core.errors import BadInput
from torchstone.core.isolation import Isolation

pytestmark = pytest.mark.pure


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_without_file_and_variables_the_defaults_hold(file: Path) -> None:
    assert load_settings(file, {}) == Settings(
        lang="en", workers=0, isolation=Isolation.NONE, idle_minutes=15
    )


def test_the_file_sets_every_setting(file: Path) -> None:
    file.write_text('lang = "zh"\nworkers = 3\nisolation = "full"\nidle_minutes = 1\n')
    assert load_settings(file, {}) == Settings(
        lang="zh", workers=3, isolation=Isolation.FULL, idle_minutes=1
    )


def test_a_variable_outranks_the_file_and_the_file_outranks_the_locale(file: Path) -> None:
    file.write_text('lang = "zh"\nworkers = 3\n')
    assert load_settings(file, {"LANG": "en_US"}).lang == "zh"
    chosen = load_settings(file, {"TORCHSTONE_LANG": "en", "TORCHSTONE_WORKERS": "5"})
    assert (chosen.lang, chosen.workers) == ("en", 5)


def test_the_default_file_stands_in_the_configuration_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHSTONE_CONFIG", str(tmp_path))
    (tmp_path / "config.toml").write_text("workers = 7\n")
    assert load_settings().workers == 7


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("worker = 3", "core.setting_unknown"),
        ('workers = "3"', "core.setting_unusable"),
        ("workers = true", "core.setting_unusable"),
        ("workers = -1", "core.setting_unusable"),
        ("workers = 257", "core.setting_unusable"),
        ("workers = 1.5", "core.setting_unusable"),
        ("idle_minutes = 0", "core.setting_unusable"),
        ('isolation = "strong"', "core.setting_unusable"),
        ("isolation = 1", "core.setting_unusable"),
        ("isolation = []", "core.setting_unusable"),
        ('lang = "fr"', "core.setting_unusable"),
        ("[workers]", "core.setting_unusable"),
        ("workers = ", "core.settings_unreadable"),
        ("a = 1\na = 2", "core.settings_unreadable"),
        ("a = " + "[" * 5000, "core.settings_unreadable"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(file: Path, content: str, code: str) -> None:
    file.write_text(content)
    with pytest.raises(BadInput) as caught:
        load_settings(file, {})
    assert caught.value.code == code
    assert str(file) in caught.value.message("en")
    assert str(file) in caught.value.message("zh")


def test_a_misspelt_setting_is_told_the_right_spelling(file: Path) -> None:
    file.write_text("worker = 3")
    with pytest.raises(BadInput) as caught:
        load_settings(file, {})
    assert "`workers`" in caught.value.hint("en")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b'lang = "\xc3\x28"'])
def test_a_file_that_is_not_utf8_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        load_settings(file, {})
    assert caught.value.code == "core.settings_unreadable"


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        load_settings(tmp_path, {})
    assert caught.value.code == "core.settings_unreadable"


@pytest.mark.parametrize("value", ["many", "-2", "1e3", "٣٣٣", "²"])
def test_a_variable_that_is_no_number_names_itself(file: Path, value: str) -> None:
    with pytest.raises(BadInput, match="TORCHSTONE_WORKERS"):
        load_settings(file, {"TORCHSTONE_WORKERS": value})


def test_an_empty_variable_sets_nothing(file: Path) -> None:
    assert load_settings(file, {"TORCHSTONE_WORKERS": ""}).workers == 0
