"""What programs see with: tools that find things in a picture."""
