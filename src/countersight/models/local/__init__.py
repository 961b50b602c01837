"""Models that run here, through transformers: `hf:NAME_OR_PATH`."""

from countersight.models.local.model import Local

__all__ = ["Local"]
