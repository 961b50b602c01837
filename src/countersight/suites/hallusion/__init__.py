"""HallusionBench: questions of sets of figures, with and without a picture."""
