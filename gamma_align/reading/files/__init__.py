"""Files as bytes, lines, JSON, XML and archives, with the limits and error messages that all formats share.

Writing is atomic: a file is complete or unchanged (`atomic`). Not here: the meaning of the elements of a format
(`reading.formats`).
"""
