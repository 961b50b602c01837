"""The formats of other tools, held against the tools themselves: `make peers`. Each has an environment of its own."""
