"""What is wrong with files of annotations, what there is to see in them, and named repairs.

`validate` is the way in. Problems come from reading (`reading.read`), and are those of which `read` raises the first;
`findings` are counts of what may be meant or not; `repairs` mend what has a name. Not here: how files are read.
"""
