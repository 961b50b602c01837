"""Train the embedded model on generated scenes. Needs torch, onnx and onnxscript."""
