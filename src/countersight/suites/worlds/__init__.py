"""Suites of worlds with computed counterfactuals: supports, and discs on a table."""
