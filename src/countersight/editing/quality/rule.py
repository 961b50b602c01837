"""The measurements of an edit, and the rule that decides whether it counts."""

import msgspec


class EditQuality(msgspec.Struct, frozen=True, omit_defaults=True):
    """Measurements of the difference between a picture and its edit, after alignment."""

    good: bool
    """Whether the edit is good enough to count, according to the `QualityRule`."""
    reason: str = ""
    """Why the edit does not count, as a sentence that starts in lower case; empty for a good edit."""
    warp: tuple[float, ...] = ()
    """The affine map (a b c d e f) that aligns the edit with the original; empty if no alignment was needed.

    The point x, y of the original is at ax + by + c, dx + ey + f of the edit, after scaling it to the original's size.
    """
    ssim_inside: float | None = None
    ssim_outside: float | None = None
    lpips_inside: float | None = None
    lpips_outside: float | None = None
    """Similarity (SSIM) and perceptual distance (LPIPS) inside and outside the mask; None if the part is empty or, for
    LPIPS, if there are no weights."""
    changed_inside: float | None = None
    changed_outside: float | None = None
    """The shares of changed pixels inside and outside the mask."""
    registration: str = ""
    """The method of alignment, if one was needed: a shift or an affine map; `none` if neither helped."""
    size: tuple[int, int] | None = None
    """Width and height of the edit, if they differ from the original's."""
    ssim: float | None = None
    lpips: float | None = None
    changed: float | None = None
    """The share of changed pixels in the whole picture; the only share if the editor provides no mask."""


class QualityRule(msgspec.Struct, frozen=True):
    """The limits within which an edit counts. They are chosen so that edits which only shift, zoom or re-encode a
    picture pass, and edits which repaint it do not. Reports state them."""

    level: int = 24
    """A pixel has changed if a channel, averaged with its neighbours, differs by more than this (from 0 to 255)."""
    least_inside: float = 0.02
    """Minimum share of pixels inside the mask that must change."""
    least_changed: float = 0.0002
    """Minimum share of pixels of the whole picture that must change if there is no mask."""
    most_outside: float = 0.05
    """Maximum share of pixels outside the mask that may change."""
    most_changed: float = 0.6
    """Maximum share of pixels of the whole picture that may change if there is no mask."""
    least_ssim_outside: float = 0.8
    """Minimum similarity to the original outside the mask."""
    most_stretched: float = 0.1
    """Maximum relative difference in the ratio of width to height."""
    most_moved: float = 0.15
    """Maximum movement of a corner by the alignment, as a share of the longer side."""

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
            f"aligning it with the original moves a corner by more than {self.most_moved:.0%} of the longer side",
        )

    def fault(self, quality: EditQuality) -> str:
        """Return what is wrong with an edit; empty if nothing is."""
        inside, outside, whole = quality.changed_inside, quality.changed_outside, quality.changed or 0.0
        if inside is None and outside is None:  # there is no mask
            if whole < self.least_changed:
                return "nothing changed"
            return f"too much changed: {whole:.0%} of the picture" if whole > self.most_changed else ""
        if inside is not None and inside < self.least_inside:
            return "nothing changed inside the mask" if whole else "nothing changed"
        if outside is not None and outside > self.most_outside:
            return f"too much changed: {outside:.0%} of the pixels outside the mask"
        if quality.ssim_outside is not None and quality.ssim_outside < self.least_ssim_outside:
            return f"the picture changed outside the mask: the similarity there is {quality.ssim_outside:.2f}"
        return ""


RULE = QualityRule()
"""The default rule of `measure`. A pixel has changed if a channel, averaged over 3 x 3 pixels, differs by more than
`level`."""
