"""The project as an immutable value, its edits, its history and its file. No Qt, no torch."""
