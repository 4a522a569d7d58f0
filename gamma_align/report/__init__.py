"""Results for people: text, CSV and pictures; knows nothing of files or of the command line."""
