"""Retake's engine: Fish Audio S2 as a generator of takes. It knows neither Qt nor the studio."""
