"""Where every line stands, found anew only for the lines that something happened to."""

from __future__ import annotations

from collections.abc import Iterable

from studio.document.difference import difference
from studio.document.project import Line, Project
from studio.document.state import Kind, LineState
from studio.document.store import Store
from studio.session.performing import Performing
from studio.session.session import Session

WANTING = (Kind.NO_TAKE, Kind.STALE)
MAKING = (Kind.GENERATING, Kind.QUEUED)


class Standing:
    """`states` go by line id; `wanting` are the lines that are stale or have no take, not locked and not being made,
    `takeless` those of them that have none, `voiceless` those that nobody can speak, `making` those of which something
    is being made or will be."""

    def __init__(self, session: Session, performing: Performing) -> None:
        self._session, self._performing = session, performing
        self._seen = Project()
        self._checkpoint: str | None = None
        self._store: Store | None = None
        self._busy: frozenset[str] = frozenset()
        self.states: dict[str, LineState] = {}
        self.wanting: set[str] = set()
        self.takeless: set[str] = set()
        self.voiceless: set[str] = set()
        self.making: set[str] = set()

    def follow(self) -> dict[str, LineState]:
        """Looks at what may stand otherwise than before; the states that do come back."""
        project, before = self._session.project, self._seen
        engine = self._session.engine
        checkpoint = engine.checkpoint if engine else None
        busy = self._performing.concerned
        said = (project.cast, project.voices, project.reading, checkpoint)
        everything = said != (before.cast, before.voices, before.reading, self._checkpoint)
        everything = everything or self._store is not self._session.store  # another project was opened
        changed = difference(before, project)
        come = {line.id for line in changed.come}
        for line in changed.gone:
            if line.id not in come:
                self.states.pop(line.id, None)
                for those in (self.wanting, self.takeless, self.voiceless, self.making):
                    those.discard(line.id)
        lines: Iterable[Line] = changed.come
        if everything:
            lines = project.lines()
        elif concerned := busy | self._busy:
            found = (self._session.find(line_id) for line_id in concerned)
            lines = (*changed.come, *(line for line in found if line is not None))
        self._seen, self._checkpoint, self._busy = project, checkpoint, busy
        self._store = self._session.store
        return self._looked_at(lines)

    def _looked_at(self, lines: Iterable[Line]) -> dict[str, LineState]:
        found: dict[str, LineState] = {}
        for line in lines:
            state = self._performing.state(line)
            if self.states.get(line.id) != state:
                found[line.id] = self.states[line.id] = state
            for those, are in (
                (self.wanting, state.kind in WANTING and not line.locked),
                (self.takeless, state.kind is Kind.NO_TAKE and not line.locked),
                (self.voiceless, state.kind is Kind.NO_VOICE),
                (self.making, state.kind in MAKING),
            ):
                if are:
                    those.add(line.id)
                else:
                    those.discard(line.id)
        return found
