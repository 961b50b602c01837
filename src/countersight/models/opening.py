"""Opens models by name, in this process or on the machines of a Ray cluster."""

from countersight.models.protocol import Model, ModelSettings
from countersight.models.registry import MODELS, open_here


def open_model(name: str, settings: ModelSettings = ModelSettings()) -> Model:  # noqa: B008 - frozen
    """Open the model with this name, on the Ray cluster in `settings.ray` if there is one."""
    if settings.ray and MODELS.where(name) == "here":
        from countersight.models.ray_model import open_ray_model

        return open_ray_model(name, settings)
    return open_here(name, settings)
