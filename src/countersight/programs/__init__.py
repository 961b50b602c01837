"""Programs that see: written by a model for a question, run in a sandbox, with tools that look at the picture."""
