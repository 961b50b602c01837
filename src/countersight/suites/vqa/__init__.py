"""OK-VQA and VQAv2: what ten people answered."""
