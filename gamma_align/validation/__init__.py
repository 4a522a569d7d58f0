"""What is wrong with files of annotations, what there is to see in them, and named repairs."""
