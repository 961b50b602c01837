"""Opens models by their names: in this process, or, with a Ray cluster, on its machines."""

from countersight.models.protocol import Model, ModelSettings
from countersight.models.registry import MODELS, open_here, open_text_here


def open_model(name: str, settings: ModelSettings = ModelSettings()) -> Model:  # noqa: B008 - frozen
    """The model of that name, ready to be asked."""
    if _is_spread(name, settings):
        from countersight.models.spread import open_spread

        return open_spread(name, settings)
    return open_here(name, settings)


def open_text_model(name: str, settings: ModelSettings = ModelSettings()) -> Model:  # noqa: B008 - frozen
    """The model of that name for words alone; of those computed here also one that has no eyes."""
    if _is_spread(name, settings):
        from countersight.models.spread import open_spread

        return open_spread(name, settings, for_words=True)
    return open_text_here(name, settings)


def _is_spread(name: str, settings: ModelSettings) -> bool:
    return bool(settings.ray) and MODELS.where(name) == "here"
