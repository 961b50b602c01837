"""MMVP: pairs of pictures that CLIP takes for the same."""
