"""NaturalBench: two pictures and two questions, every question of both."""
