"""How good an edit is, as numbers and as a verdict. Pure data."""

import msgspec


class EditQuality(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was measured between a picture and its edit, after the edit was laid over the original."""

    good: bool
    """Whether the edit counts, by the rule of `editing.quality`."""
    reason: str = ""
    """Why it does not count, in a sentence that starts in lower case; empty for a good one."""
    warp: tuple[float, ...] = ()
    """The affine map (a b c d e f) that lays the edit over the original; empty where nothing had to be moved.

    The point x, y of the original is found at ax + by + c, dx + ey + f of the edit, once that has the original's size.
    """
    ssim_inside: float | None = None
    ssim_outside: float | None = None
    lpips_inside: float | None = None
    lpips_outside: float | None = None
    """None where there is no such part of the picture, or no weights."""
    changed_inside: float | None = None
    changed_outside: float | None = None
    """Share of the pixels there that changed."""
    registration: str = ""
    """How it was laid over the original, where it had to be: by a shift, by an affine map, or not at all."""
    size: tuple[int, int] | None = None
    """Width and height of the edit, where they were not the original's."""
    ssim: float | None = None
    lpips: float | None = None
    changed: float | None = None
    """The same of the whole picture; all there is where the editor does not know what it meant to change."""


class Rule(msgspec.Struct, frozen=True):
    """When an edit counts. The figures are choices, made so that edits which only shift, zoom or re-encode a picture
    pass and those which repaint it do not; a report states them."""

    level: int = 24
    """A pixel has changed if a channel of it, averaged with its neighbours, differs by more than this of 255."""
    least_inside: float = 0.02
    """Of the pixels inside the mask at least this share must change."""
    least_changed: float = 0.0002
    """The same of the whole picture, where there is no mask."""
    most_outside: float = 0.05
    """Of the pixels outside the mask at most this share may change."""
    most_changed: float = 0.6
    """The same of the whole picture, where there is no mask."""
    least_ssim_outside: float = 0.8
    """Outside the mask the picture must be at least this similar to what it was."""
    most_stretched: float = 0.1
    """An edit of another size may differ by this part in its ratio of width to height."""
    most_moved: float = 0.15
    """The map that lays it over the original may move no corner farther than this part of the longer side."""

    @property
    def words(self) -> tuple[str, ...]:
        """The rule as sentences: an edit is left out of the score if one of them is true."""
        return (
            f"less than {self.least_inside:.0%} of the pixels inside the mask changed (without a mask: less than "
            f"{self.least_changed:.2%} of all)",
            f"more than {self.most_outside:.0%} of the pixels outside the mask changed (without a mask: more than "
            f"{self.most_changed:.0%} of all)",
            f"the structural similarity outside the mask is below {self.least_ssim_outside:.2f}",
            f"the ratio of width to height differs by more than {self.most_stretched:.0%} from the original's",
            f"laying it over the original moves a corner by more than {self.most_moved:.0%} of the longer side",
        )


RULE = Rule()
"""What `measure` goes by unless it is told otherwise. A pixel has changed if a channel, averaged over 3 x 3 pixels,
differs by more than `level`."""
