"""VisMin: two pictures and two captions that differ in one thing."""
