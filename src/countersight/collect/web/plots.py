"""Small plots for the leads' page, as SVG styled by classes alone: the policy of the pages allows no styles in them."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

from countersight.collect.figures import PhaseFigures
from countersight.scoring import Estimate

_WIDTH = 320


def bars(counts: Mapping[str, int], title: str) -> Markup:
    """Horizontal bars, one for each name, with its number."""
    most = max([1, *counts.values()])
    rows = []
    for place, (name, number) in enumerate(counts.items()):
        top = 26 * place
        rows.append(
            Markup(
                '<text x="0" y="{}" class="label">{}</text><rect x="130" y="{}" width="{:.1f}" height="14" rx="3" '
                'class="bar"/><text x="{:.1f}" y="{}" class="number">{:,}</text>'
            ).format(top + 17, name, top + 6, 150 * number / most, 136 + 150 * number / most, top + 17, number)
        )
    return _svg(_WIDTH, max(26, 26 * len(counts)), title, rows)


def interval_plot(estimate: Estimate, title: str) -> Markup:
    """A figure between -1 and 1 with its interval."""
    if estimate.value is None or estimate.interval is None:
        return Markup('<span class="muted">{}</span>').format(estimate.why)

    def place(value: float) -> float:
        return 4 + 112 * min(1.0, max(0.0, value))

    low, high = place(estimate.interval.low), place(estimate.interval.high)
    parts = [
        Markup('<line x1="4" y1="9" x2="116" y2="9" class="axis"/>'),
        Markup('<line x1="{:.1f}" y1="9" x2="{:.1f}" y2="9" class="range"/>').format(low, high),
        Markup('<circle cx="{:.1f}" cy="9" r="4" class="dot"/>').format(place(estimate.value)),
    ]
    return _svg(120, 18, title, parts)


def days_plot(days: Sequence[tuple[str, int, int]], phases: Sequence[PhaseFigures], title: str) -> Markup:
    """Contributions of the last 14 days, stacked by phase; today is on the right."""
    order = {phase.phase: place for place, phase in enumerate(phases)}
    totals = [0] * 14
    for _, day, number in days:
        totals[13 - min(day, 13)] += number
    most = max([1, *totals])
    parts, stacked = [], [0.0] * 14
    for phase, day, number in sorted(days, key=lambda each: order.get(each[0], 0)):
        column = 13 - min(day, 13)
        height = 90 * number / most
        stacked[column] += height
        shade = order.get(phase, 0) % 4
        parts.append(
            Markup('<rect x="{}" y="{:.1f}" width="18" height="{:.1f}" class="shade{}"/>').format(
                column * 22 + 6, 96 - stacked[column], height, shade
            )
        )
    parts.append(Markup('<line x1="0" y1="96.5" x2="320" y2="96.5" class="axis"/>'))
    parts.append(Markup('<text x="6" y="112" class="label">13 days ago</text>'))
    parts.append(Markup('<text x="314" y="112" class="label end">today</text>'))
    parts.append(Markup('<text x="0" y="10" class="label">{:,}</text>').format(most))
    return _svg(_WIDTH, 118, title, parts)


def _svg(width: int, height: int, title: str, parts: Sequence[Markup]) -> Markup:
    head = Markup('<svg viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}" class="plot">')
    return head.format(width, height, width, height, escape(title)) + Markup("").join(parts) + Markup("</svg>")
