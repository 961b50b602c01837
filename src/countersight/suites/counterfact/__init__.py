"""Visual CounterFact: what is seen against what is known."""
