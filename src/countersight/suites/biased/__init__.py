"""VLMs Are Biased: pictures that contradict what everybody knows."""
