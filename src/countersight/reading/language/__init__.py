"""What all readings stand on: the words (vocabulary.toml), clauses, stems, numbers, opposites, what a question asks."""
