"""Benchmarks of speed and scale; similar tools are measured in the same run. `make bench` runs them all."""
