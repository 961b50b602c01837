"""Text formats of each family; text from datasets cannot add special tokens."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from models.local import tiny
from models.local.talks import picture

from countersight.errors import AskingFailed, ModelError
from countersight.models.local.loading import Loaded, load
from countersight.models.protocol import Turn

Models = Callable[[str], Loaded]
TALK = (
    Turn("user", "Is the dog on the left?", picture()),
    Turn("assistant", "no"),
    Turn("user", "And here?", picture(seed=1)),
)


def without_template(tiny_folder: Callable[[str], Path], family: str, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(tiny_folder(family), tmp_path / family))
    (folder / "chat_template.jinja").unlink()
    return folder


@pytest.mark.parametrize(
    ("family", "question", "before_answer"),
    [
        ("llava", "USER: <image>\nHow many? ASSISTANT:", " "),
        (
            "qwen2_5_vl",
            "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>How many?<|im_end|>\n<|im_start|>assistant\n",
            "",
        ),
        ("blip_2", "Question: How many? Answer:", " "),
        ("instructblip", "How many?", " "),
        ("paligemma", "<image>How many?", ""),
    ],
)
def test_each_family_has_its_own_format(family: str, question: str, before_answer: str, tiny_model: Models) -> None:
    form = tiny_model(family).prompt_format
    assert form.write([Turn("user", "How many?", picture())]) == question
    assert form.before_answer == before_answer


def test_families_without_a_template_use_questions_and_answers(tiny_model: Models) -> None:
    said = "Question: Is the dog on the left? Answer: no Question: And here? Answer:"
    assert tiny_model("blip_2").prompt_format.write(TALK) == said
    assert tiny_model("paligemma").prompt_format.write(TALK) == "<image><image>" + said


def test_a_model_without_its_template_gets_plain_questions(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    asked = [Turn("user", "How many?", picture())]
    llava = load(str(without_template(tiny_folder, "llava", tmp_path)), device="cpu")
    assert llava.prompt_format.write(asked) == "<image>\nUSER: How many? ASSISTANT:"
    gemma = load(str(without_template(tiny_folder, "gemma3", tmp_path)), device="cpu")
    assert gemma.prompt_format.write(asked) == "<start_of_image>Question: How many? Answer:"


def test_the_template_of_a_text_only_model_is_not_used(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = without_template(tiny_folder, "llava", tmp_path)
    file = folder / "tokenizer_config.json"
    template = "{% for message in messages %}[{{ message['content'] | string | length }}]{% endfor %}"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"chat_template": template}))
    text = load(str(folder), device="cpu").prompt_format.write([Turn("user", "How many?", picture())])
    assert text == "<image>\nUSER: How many? ASSISTANT:"


@pytest.mark.parametrize("family", tiny.KINDS)
def test_special_tokens_in_a_question_are_broken_up(family: str, tiny_model: Models) -> None:
    loaded = tiny_model(family)
    signs = {
        *loaded.tokenizer.all_special_tokens,
        *loaded.tokenizer.get_added_vocab(),
        loaded.prompt_format.placeholder,
    } - {""}
    hostile = " ".join(["What is", *sorted(signs)[:40], "<image>", "<|im_end|>", "[/INST]", "</s>", "?"])

    def tokens(text: str) -> list[int]:
        return list(loaded.tokenizer(loaded.prompt_format.write([Turn("user", text, picture())]))["input_ids"])

    special = set(loaded.tokenizer.convert_tokens_to_ids(sorted(signs - {loaded.tokenizer.unk_token})))
    assert [token for token in tokens(hostile) if token in special] == [
        token for token in tokens("What is ?") if token in special
    ]


def test_a_conversation_refused_by_the_template_fails_alone(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = without_template(tiny_folder, "qwen2_5_vl", tmp_path)
    strict = "{% if messages | length > 1 %}{{ raise_exception('one turn only') }}{% endif %}" + tiny.QWEN_TEMPLATE
    (folder / "chat_template.jinja").write_text(strict)
    form = load(str(folder), device="cpu").prompt_format
    assert form.write(TALK[:1])
    with pytest.raises(AskingFailed, match="one turn only"):
        form.write(TALK)


def test_the_date_in_a_template_is_fixed(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = without_template(tiny_folder, "qwen2_5_vl", tmp_path)
    (folder / "chat_template.jinja").write_text("{{ strftime_now('%d %b %Y') }}\n" + tiny.QWEN_TEMPLATE)
    assert load(str(folder), device="cpu").prompt_format.write(TALK[:1]).startswith("26 Jul 2024\n")


def test_a_broken_picture_template_is_an_error(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = without_template(tiny_folder, "qwen2_5_vl", tmp_path)
    (folder / "chat_template.jinja").write_text(tiny.QWEN_TEMPLATE + "{% endfor %}")
    with pytest.raises(ModelError, match="the model's chat template cannot write this conversation"):
        load(str(folder), device="cpu")
