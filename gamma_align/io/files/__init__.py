"""Files as bytes, lines, JSON, XML and archives, with the limits and error messages that all formats share.

Writing is whole or not at all (`atomic`). Not here: what a format means by its elements (`io.formats`).
"""
