"""A language model that answers from a list of detected objects."""

import asyncio
from pathlib import Path

import pytest
from chat_server import ChatServer
from test_detector import NAMES, red_at
from tiny_onnx import yolo

from countersight.errors import ModelError
from countersight.models import Request, Turn, open_model


def test_a_picture_is_replaced_by_a_list_of_objects(tmp_path: Path) -> None:
    detector = yolo(tmp_path / "m.onnx", "v8", scores=(0.1, 0.8, 0.3), metadata=NAMES)
    heard: list[dict] = []

    def behave(server: ChatServer, number: int, body: dict) -> str:
        heard.append(body)
        return "say:a cat"

    with ChatServer(behave) as server:
        model = open_model(f"detections:{server.name}?vision=detector:{detector}")
        turns = (
            Turn("user", "What is it?", red_at(100, 40, 220, 120)),
            Turn("assistant", "a cat"),
            Turn("user", "Why?"),
        )

        async def ask() -> str:
            try:
                return (await model.reply(Request("k", turns, "open", question="What is it?"))).text
            finally:
                await model.close()

        assert asyncio.run(ask()) == "a cat"
    first, *rest = heard[0]["messages"]
    assert "It found: 1 cat" in str(first["content"])
    assert str(first["content"]).count("What is it?") == 1
    assert "image_url" not in str(heard[0])
    assert [turn["role"] for turn in rest] == ["assistant", "user"]


@pytest.mark.parametrize("name", ["detections:openai:gpt-4o", "detections:viper:reference?vision=detector:m.onnx"])
def test_a_name_without_a_detector_or_a_language_model_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match=r"has no detector|use a language model"):
        open_model(name)
