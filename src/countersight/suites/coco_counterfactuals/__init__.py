"""COCO-Counterfactuals: two pictures whose captions differ in one noun."""
