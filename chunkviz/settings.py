"""Settings of an installation: from the environment, a ``.env`` file, or Streamlit's secrets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from chunkviz.errors import ParameterError
from chunkviz.loaders.limits import Limits
from chunkviz.params import Slider, explain_rule, parameters_of
from chunkviz.strategies import Strategy, strategy_class

_DEFAULT = Limits()
PREFIX = "CHUNKVIZ_"
ENV_FILE = f"{PREFIX}ENV_FILE"
"""Variable that names another file than ``.env``."""


def _cache_folder() -> Path:
    """Return where this machine keeps what can be made again."""
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "chunkviz" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chunkviz"


class Settings(BaseSettings):
    """What an installation starts from; everything has a default, and nothing is needed.

    What is passed to the constructor wins, then the environment (``CHUNKVIZ_CHUNK_SIZE=400``; the
    key also as ``OPENAI_API_KEY``), then the file ``.env`` of the working directory
    (or the one that ``CHUNKVIZ_ENV_FILE`` names). An empty value
    is none.

    Raises
    ------
    ParameterError
        Naming the variable, what must hold and what was given; never the value of a key.

    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        use_attribute_docstrings=True,
    )

    chunk_size: int = Field(512, ge=1)
    """Chunk size that strategies start from, in tokens."""
    chunk_overlap: int = Field(50, ge=0)
    """Overlap that strategies which repeat text by default start from, in tokens."""
    semantic_threshold: float = Field(0.5, ge=-1, le=1)
    """Similarity threshold that semantic strategies start from."""
    semantic_min_chunk_size: int = Field(5, ge=1)
    """Sentences a semantic chunk must have before it may end, to start from."""
    embedding_model: str = Field("text-embedding-3-small", min_length=1)
    """Embedding model of the OpenAI-compatible service."""
    llm_model: str = Field("gpt-4o-mini", min_length=1)
    """Language model of the OpenAI-compatible service, for context."""
    openai_base_url: str | None = None
    """Address of an OpenAI-compatible service; empty for OpenAI's own."""
    openai_api_key: SecretStr | None = Field(
        None, repr=False, validation_alias=AliasChoices(f"{PREFIX}OPENAI_API_KEY", "OPENAI_API_KEY", "openai_api_key")
    )
    """Key of the service; read from OPENAI_API_KEY, too. It is sent to the address above and nowhere else."""
    cache_folder: Path | None = Field(default_factory=_cache_folder)
    """Folder for vectors and contexts that services made, by default one of the user's; "off" keeps nothing on disk."""
    cache_megabytes: int = Field(1000, ge=1)
    """Megabytes the cache may take; the longest unused entries leave first."""
    max_upload_megabytes: int = Field(_DEFAULT.max_bytes // 1_000_000, ge=1)
    """Largest file that is read."""
    max_pages: int = Field(_DEFAULT.max_pages, ge=1)
    """Most pages of a PDF that is read."""
    max_characters: int = Field(_DEFAULT.max_characters, ge=1)
    """Longest text that is read."""
    max_seconds: float = Field(_DEFAULT.seconds, gt=0)
    """Longest time for reading a file."""

    def __init__(self, **given: Any) -> None:
        """Read and check the settings."""
        try:
            super().__init__(**{"_env_file": os.environ.get(ENV_FILE, ".env"), **given})
        except ValidationError as error:
            record = error.errors()[0]
            name = str(record["loc"][0]).upper() if record["loc"] else ""
            # What was given for a key is no part of any message.
            shown = "" if "KEY" in name else f", not {record['input']!r}"
            message = f"The setting {PREFIX}{name.removeprefix(PREFIX)} must be {explain_rule(record)}{shown}."
            raise ParameterError(message) from None

    @model_validator(mode="before")
    @classmethod
    def _read_plain_words(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        read = {name: value for name, value in given.items() if value is not None and value != ""}
        folder = read.get("cache_folder")
        if isinstance(folder, str):
            read["cache_folder"] = None if folder.lower() == "off" else Path(folder).expanduser()
        return read

    @property
    def limits(self) -> Limits:
        """What a loader may use up."""
        return Limits(
            max_bytes=self.max_upload_megabytes * 1_000_000,
            max_pages=self.max_pages,
            max_characters=self.max_characters,
            seconds=self.max_seconds,
        )

    def start_of(self, strategy: str, parameter: str, default: Any) -> Any:
        """Return the value a parameter starts from on the screen and the command line.

        Sizes are in tokens, so they count only where the strategy counts tokens by default.
        """
        kind = strategy_class(strategy)
        match parameter:
            case "chunk_size" if _counts_tokens(kind):
                return self.chunk_size
            case "chunk_overlap" if default and _counts_tokens(kind):
                return self.chunk_overlap
            case "threshold" if "embedder" in kind.needs:
                return self.semantic_threshold
            case "min_chunk_size" if "embedder" in kind.needs:
                return self.semantic_min_chunk_size
            case _:
                return default


def _counts_tokens(kind: type[Strategy]) -> bool:
    """Whether the sizes of a strategy are tokens, unless somebody chooses another unit."""
    declared = {parameter.name: parameter for parameter in parameters_of(kind)}
    if "unit" in declared:
        return bool(declared["unit"].default == "tokens")
    size = declared.get("chunk_size")
    return size is not None and isinstance(size.control, Slider) and size.control.unit == "tokens"
