"""The letter of an option: `options` reads a reply by letters, by the options' texts, and by what is said of either."""
