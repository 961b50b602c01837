from .model import open_spread as open_spread
