"""Buttons under a figure that save it as a drawing of its own."""

from countersight.pages import Markup, element, text
from countersight.picture import data_url


def saving(drawing: Markup, file: str) -> Markup:
    """Save it as SVG or PNG; the buttons are hidden until a script is there to press them for."""
    buttons = [
        element("button", text(f"Save as {kind.upper()}"), type="button", class_="plain", data_save=kind, hidden="")
        for kind in ("svg", "png")
    ]
    source = data_url("image/svg+xml", drawing.encode())
    return element("figcaption", *buttons, class_="saving", data_drawing=source, data_file=file)
