"""ACQUIRED: counterfactual questions of videos from life, shown as frames."""
