"""Scene graphs become causal graphs, and causal graphs become questions (CELLO)."""
