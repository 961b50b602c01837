"""The number that the question's own words qualify: `counting` looks for it, the others say which number is which."""
