"""Runs: one model asked one dataset in one way, in a folder that can be killed at any instant and resumed."""
