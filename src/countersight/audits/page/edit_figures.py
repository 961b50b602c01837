"""How good an edit is, as the page shows it."""

from collections.abc import Iterator

from countersight.audits.bundle.cases import EditSheet
from countersight.audits.page.figures import number
from countersight.editing.quality import EditQuality
from countersight.html import Markup, element, name, percent, text


def quality_figures(edit: EditSheet | None) -> Iterator[Markup]:
    """What was measured of an edit, and by which editor it was made."""
    if edit is None or edit.quality is None:
        return
    quality = edit.quality
    verdict = "good" if quality.good else f"bad: {quality.reason}"
    figures = [("edit", verdict), *_measured(quality), ("editor", f"{name(edit.editor)}, seed {edit.seed}")]
    yield element(
        "dl",
        *(element("div", element("dt", text(term)), element("dd", text(name(words)))) for term, words in figures),
        class_="quality",
    )


def _measured(quality: EditQuality) -> Iterator[tuple[str, str]]:
    for called, inside, outside, whole, form in (
        ("SSIM", quality.ssim_inside, quality.ssim_outside, quality.ssim, number),
        ("LPIPS", quality.lpips_inside, quality.lpips_outside, quality.lpips, number),
        ("pixels changed", quality.changed_inside, quality.changed_outside, quality.changed, _share),
    ):
        if inside is not None or outside is not None:
            yield called, f"{form(inside)} in the mask, {form(outside)} around it"
        elif whole is not None:
            yield called, form(whole)
    if quality.warp:
        yield "laid over by", f"{quality.registration} ({', '.join(f'{value:.4g}' for value in quality.warp)})"
    elif quality.registration:
        yield "laid over by", quality.registration
    if quality.size:
        yield "size given", f"{quality.size[0]} × {quality.size[1]}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{percent(value)}%"
