"""C-VQA: Real and Synthetic."""
