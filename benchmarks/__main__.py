"""Every benchmark in turn: `python -m benchmarks`."""

from benchmarks import asking, drawing, embedded

for title, figures in (
    ("asking", asking.measure()),
    ("drawing", drawing.measure()),
    ("start-up", {"seconds for --help": asking.help_seconds()}),
):
    print(title)
    for name, value in figures.items():
        print(f"  {name:<60} {value:10.2f}")
print("the embedded model")
embedded.main([])
