"""Retake's studio: the desktop program around the engine."""
