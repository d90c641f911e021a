"""What goes on behind the panels: the open project, what is chosen, what is being performed, what is heard.

`Session` holds the project and its history, `Performing` the jobs, `Playback` the sound. Panels know none of them.
"""

from studio.session.alignments import Alignments
from studio.session.comping import Comping
from studio.session.jobs import CandidatesView
from studio.session.joins import Joins
from studio.session.performing import Performing
from studio.session.playback import Playback
from studio.session.selection import Selection
from studio.session.session import Session

__all__ = ["Alignments", "CandidatesView", "Comping", "Joins", "Performing", "Playback", "Selection", "Session"]
