"""OpenCV, or a sentence that says it is missing."""

from typing import Any

from countersight.errors import EditorError


def opencv() -> Any:
    """The module cv2, loaded when it is first needed."""
    try:
        import cv2
    except ImportError:
        raise EditorError(
            "editing photographs without a network needs OpenCV, which is not installed: "
            "pip install 'countersight[edit]', or opencv-python-headless alone"
        ) from None
    return cv2
