from .editor import open_exact as open_exact
