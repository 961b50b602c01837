"""Putting questions to models: prompts, reading answers out of text, and the run that survives being killed."""
