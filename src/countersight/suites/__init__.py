"""Benchmarks: one module a suite, with its file formats and how its cases are made."""
