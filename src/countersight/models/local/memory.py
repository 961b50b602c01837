"""When memory runs out, and how it is given back."""

_SIGNS = ("out of memory", "alloc_failed", "can't allocate memory", "not enough memory")
"""What devices say of it, beside raising the exception that is made for it."""


def is_full(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on whatever device."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in _SIGNS)


def forget() -> None:
    """Give back the memory of what is no longer used."""
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()
