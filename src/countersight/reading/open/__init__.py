"""The words that answer an open question: `answers` finds them, the others say what of a reply was asked already."""
