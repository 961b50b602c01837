"""Python programs in the manner of ViperGPT: `execute_command(image)`, run in a sandbox."""
