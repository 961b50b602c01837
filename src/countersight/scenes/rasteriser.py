"""Import Skia, or raise an error that says what is missing."""

from countersight.errors import CountersightError

try:
    import skia
except ImportError as error:  # its wheels are linked against the system's OpenGL, though nothing here uses it
    raise CountersightError(
        f"drawing needs system libraries that are not installed ({error}); on Debian: apt-get install libegl1 libgl1 "
        "libexpat1"
    ) from None

__all__ = ["skia"]
