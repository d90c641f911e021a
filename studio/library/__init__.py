"""The voice library: recordings with their words and codes, kept on disk, made once and used in any project."""
