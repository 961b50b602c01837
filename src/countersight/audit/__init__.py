"""EDCT: is a model's explanation what its answer really hangs on? Edit what it cites, and ask again."""
