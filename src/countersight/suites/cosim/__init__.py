"""CoSIm: scene changes and what would be answered after them."""
