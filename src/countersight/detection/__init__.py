"""What a detector of photographs is made of: the models it can be, the names it understands, the boxes it keeps."""
