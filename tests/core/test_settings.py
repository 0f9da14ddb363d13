"""Settings of an installation: where they come from, which of them wins, and what is said of wrong ones."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from chunkviz.errors import ParameterError
from chunkviz.params import Slider, parameters_of
from chunkviz.settings import ENV_FILE, PREFIX, Settings
from chunkviz.strategies import STRATEGIES

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (*Settings.model_fields, "env_file"):
        monkeypatch.delenv(f"{PREFIX}{name.upper()}", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


def test_nothing_is_needed() -> None:
    settings = Settings()
    assert (settings.chunk_size, settings.chunk_overlap) == (512, 50)
    assert settings.openai_api_key is None
    assert settings.cache_folder is not None
    assert settings.limits.max_bytes == 50_000_000


def test_what_is_given_wins_then_the_environment_then_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("CHUNKVIZ_CHUNK_SIZE=100\nCHUNKVIZ_CHUNK_OVERLAP=10\nCHUNKVIZ_LLM_MODEL=small\n")
    monkeypatch.setenv("CHUNKVIZ_CHUNK_SIZE", "200")
    monkeypatch.setenv("CHUNKVIZ_CHUNK_OVERLAP", "20")
    settings = Settings(chunk_size=300)
    assert (settings.chunk_size, settings.chunk_overlap, settings.llm_model) == (300, 20, "small")


def test_another_file_may_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("CHUNKVIZ_CHUNK_SIZE=100\n")
    monkeypatch.setenv(ENV_FILE, str(tmp_path / "other"))
    assert Settings().chunk_size == 100


def test_an_empty_value_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CHUNK_SIZE", "OPENAI_BASE_URL", "CACHE_FOLDER"):
        monkeypatch.setenv(f"{PREFIX}{name}", "")
    assert Settings() == Settings(chunk_size=512, openai_base_url="", cache_folder="")
    assert Settings().openai_base_url is None


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "CHUNKVIZ_OPENAI_API_KEY"])
@pytest.mark.parametrize("place", ["environment", "file"])
def test_the_key_is_read_and_never_shown(
    name: str, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if place == "file":
        (tmp_path / ".env").write_text(f"{name}={KEY}\n")
    else:
        monkeypatch.setenv(name, KEY)
    settings = Settings()
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == KEY
    assert KEY not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


def test_the_key_for_chunkviz_comes_before_the_one_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-everybody")
    monkeypatch.setenv("CHUNKVIZ_OPENAI_API_KEY", KEY)
    found = Settings().openai_api_key, Settings(openai_api_key="sk-given").openai_api_key
    assert [each.get_secret_value() if each else None for each in found] == [KEY, "sk-given"]


def test_a_key_that_is_none_is_not_repeated_by_the_error() -> None:
    with pytest.raises(ParameterError) as caught:
        Settings(openai_api_key=1234567890)
    assert str(caught.value) == "The setting CHUNKVIZ_OPENAI_API_KEY must be a valid string."
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("word", ["off", "OFF"])
def test_off_keeps_nothing_on_disk(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_FOLDER", word)
    assert Settings().cache_folder is None


def test_a_folder_may_be_below_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("CHUNKVIZ_CACHE_FOLDER", "~/kept")
    assert Settings().cache_folder == tmp_path / "kept"


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("CHUNK_SIZE", "big", "a whole number, not 'big'"),
        ("CHUNK_SIZE", "0", "greater than or equal to 1, not '0'"),
        ("CHUNK_SIZE", "1.5", "a whole number, not '1.5'"),
        ("SEMANTIC_THRESHOLD", "high", "a number, not 'high'"),
        ("SEMANTIC_THRESHOLD", "2", "less than or equal to 1, not '2'"),
        ("MAX_SECONDS", "0", "greater than 0, not '0'"),
    ],
)
def test_a_wrong_value_is_one_sentence_that_names_the_variable(
    name: str, value: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{PREFIX}{name}", value)
    with pytest.raises(ParameterError) as caught:
        Settings()
    assert str(caught.value) == f"The setting {PREFIX}{name} must be {rule}."


def test_upload_limits_are_limits_of_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MAX_UPLOAD_MEGABYTES": 2, "MAX_PAGES": 3, "MAX_CHARACTERS": 4, "MAX_SECONDS": 5}.items():
        monkeypatch.setenv(f"{PREFIX}{name}", str(value))
    limits = Settings().limits
    assert (limits.max_bytes, limits.max_pages, limits.max_characters, limits.seconds) == (2_000_000, 3, 4, 5.0)


def test_a_setting_starts_the_parameters_that_mean_the_same() -> None:
    settings = Settings(chunk_size=77, chunk_overlap=7, semantic_threshold=0.7, semantic_min_chunk_size=3)
    for strategy in STRATEGIES:
        declared = {parameter.name: parameter for parameter in parameters_of(strategy)}
        tokens = "unit" not in declared or declared["unit"].default == "tokens"
        for name, parameter in declared.items():
            start = settings.start_of(strategy.name, name, parameter.default)
            if start == parameter.default:
                continue
            assert isinstance(parameter.control, Slider)
            assert (name, start) in {
                ("chunk_size", 77), ("chunk_overlap", 7), ("threshold", 0.7), ("min_chunk_size", 3)
            }  # fmt: skip
            assert tokens or name in {"threshold", "min_chunk_size"}
    assert settings.start_of("recursive", "chunk_size", 512) == 77
    assert settings.start_of("recursive", "chunk_overlap", 0) == 0
    assert settings.start_of("hierarchical", "chunk_size", 400) == 400
    assert settings.start_of("semantic", "threshold", 0.5) == 0.7


def test_settings_are_a_value() -> None:
    settings = Settings(chunk_size=9)
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301  our own bytes
    with pytest.raises(ValueError, match="frozen"):
        settings.chunk_size = 3  # type: ignore[misc]
