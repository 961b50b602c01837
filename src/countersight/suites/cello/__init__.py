"""CELLO: causal questions on four rungs."""
