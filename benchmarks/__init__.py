"""Benchmarks of speed and scale, compared with similar tools in the same run. `make bench` runs them all."""
