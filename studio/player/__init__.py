"""Playing sound: one thread, one source at a time, a position that is asked for."""

from studio.player.playback import Player
from studio.player.reader import GrowingSource, Source
from studio.player.stream import Device, PlayerError, SilentStream, Stream

__all__ = ["Device", "GrowingSource", "Player", "PlayerError", "SilentStream", "Source", "Stream"]
