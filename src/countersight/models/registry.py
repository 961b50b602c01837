"""Whatever answers: every model is named by one string and speaks one small protocol."""

from countersight.models.protocol import (
    Answer,
    AskingFailed,
    Loss,
    Model,
    ModelError,
    ModelSettings,
    Overloaded,
    Ranker,
    Refused,
    Request,
    Turn,
    Unreachable,
    Viewer,
)
from countersight.text import unknown

MODELS = {
    "embedded": "our own small model, trained on our scenes in both worlds; ships with the package",
    "embedded:factual": "the same, but never told of an if: it sees and does not imagine",
    "chance": "answers at random, by seed",
    "always-first": "answers the first option, yes, or 1",
    "endpoint:URL#MODEL": "an OpenAI-compatible server; key from COUNTERSIGHT_API_KEY if it needs one",
    "openai:MODEL": "OpenAI, or the server at OPENAI_BASE_URL; key from OPENAI_API_KEY",
    "hf:NAME_OR_PATH": "a model computed here by transformers, from a folder or downloaded before",
    "viper:CODE_MODEL;vision=EYES": "a Python program for each question, run in a sandbox; CODE_MODEL writes it "
    "(reference, or any model here), EYES look (scene, detector:PATH, or any model here)",
    "visprog:CODE_MODEL;vision=EYES": "the same with a program of steps; visprog:reference;vision=scene needs nothing",
}
"""How models are named, with a word on each; `countersight list models` prints it."""


def open_model(name: str, settings: ModelSettings) -> Model:
    """The model of that name, ready to be asked."""
    from countersight.models import baselines

    kind, _, rest = name.partition(":")
    if name == "chance":
        return baselines.Chance(settings.seed)
    if name == "always-first":
        return baselines.AlwaysFirst()
    if kind == "embedded":
        from countersight.models.embedded.model import Embedded

        return Embedded(name, settings)
    if kind in ("endpoint", "openai") and rest:
        from countersight.models import endpoint

        return (endpoint.parse_endpoint if kind == "endpoint" else endpoint.parse_openai)(name, rest, settings)
    if kind == "hf" and rest:
        from countersight.models.local.model import Local

        return Local(name, rest, settings)
    if kind in ("viper", "visprog"):
        from countersight.programs import open_programs

        return open_programs(name, settings)
    raise ModelError(unknown("model", name, MODELS))


__all__ = [
    "MODELS",
    "Answer",
    "AskingFailed",
    "Loss",
    "Model",
    "ModelError",
    "ModelSettings",
    "Overloaded",
    "Ranker",
    "Refused",
    "Request",
    "Turn",
    "Unreachable",
    "Viewer",
    "open_model",
]
