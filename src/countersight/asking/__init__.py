"""Putting questions to models: prompts, the run that survives being killed, and its folder."""
