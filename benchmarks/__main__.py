"""Run every benchmark in turn: `python -m benchmarks`."""

from benchmarks import (
    asking,
    coverage,
    drawing,
    embedded,
    motifs,
    posting,
    programs,
    ranking,
    reporting,
    stopping,
)

for title, figures in (
    ("asking", asking.measure()),
    ("posting", posting.measure()),
    ("drawing", drawing.measure()),
    ("causal graphs", motifs.measure()),
    ("programs", programs.measure()),
    ("reporting", reporting.measure()),
    ("start-up", {"seconds for --help": asking.help_seconds()}),
):
    print(title)
    for name, value in figures.items():
        print(f"  {name:<60} {value:10.2f}")
print("the embedded model")
embedded.main([])
print("ranking options")
ranking.main(["--pairs", "4", "--rounds", "1"])
print("intervals")
coverage.main([])
print("stopping early")
stopping.main([])
