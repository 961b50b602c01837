"""Training the embedded model on scenes of our own generator. Needs torch, onnx and onnxscript."""
