"""Speed and scale, each as a ratio against a peer in the same run. `make bench` runs them all."""
