"""Python programs in the style of ViperGPT: `execute_command(image)`, run in a sandbox."""
