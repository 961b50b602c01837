"""CFMM: pairs of questions that share two options."""
