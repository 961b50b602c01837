"""Yes or no: `polarity` reads a reply, `claims` what a clause says of what was asked, others each one way to say it."""
