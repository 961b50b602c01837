"""Training the embedded model from scratch on scenes of our own generator. Needs the `train` extra (torch, onnx)."""
