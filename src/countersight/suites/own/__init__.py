"""A benchmark of your own, without a line of code: a table and a folder of pictures."""
