"""Opens models by name: in this process, or, with a Ray cluster, on its machines."""

from countersight.models.protocol import Model, ModelSettings
from countersight.models.registry import MODELS, open_here


def open_model(name: str, settings: ModelSettings = ModelSettings()) -> Model:  # noqa: B008 - frozen
    """Open the model of that name."""
    if settings.ray and MODELS.where(name) == "here":
        from countersight.models.ray_model import open_ray_model

        return open_ray_model(name, settings)
    return open_here(name, settings)
