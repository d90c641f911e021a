"""Puts the session on the panels: whatever changes, the panels are shown the new values, and they find what differs."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot

from studio import showing
from studio.clips import Clips
from studio.document.difference import difference
from studio.document.project import Project
from studio.document.store import Store
from studio.panels.candidates import CandidatesPanel
from studio.panels.cast import CastPanel
from studio.panels.jobs import JobsBar
from studio.panels.script import ScriptEditor
from studio.panels.tags import TagsPanel
from studio.panels.takes import DetailsPanel, TakesPanel
from studio.panels.timeline import Timeline
from studio.panels.timeline_values import TimelineClip
from studio.panels.top_bar import TopBar
from studio.session import Performing, Playback, Session
from studio.session.flagging import Flagging
from studio.session.selection import selected_words
from studio.session.standing import Standing

TICK = 33  # ms between two looks at the playhead while it moves


class Display(QObject):
    """The panels, and what they show."""

    def __init__(self, session: Session, performing: Performing, playback: Playback) -> None:
        super().__init__()
        self._session, self._performing, self._playback = session, performing, playback
        self.top, self.cast = TopBar(), CastPanel()
        self.script, self.timeline, self.jobs = ScriptEditor(), Timeline(), JobsBar()
        self.takes, self.candidates = TakesPanel(), CandidatesPanel()
        self.details, self.tags = DetailsPanel(), TagsPanel()
        self._flagging = Flagging(session, self)
        self._standing = Standing(session, performing)
        self._seen = Project()
        self._store: Store | None = None
        self._loading = False  # the voice model
        self._clips = Clips(session, performing, self)
        self._clips.made.connect(self._show_clips)
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self.show_time)
        self._soon = QTimer(self, interval=TICK, singleShot=True)
        self._soon.timeout.connect(self._show_prints)
        session.project_changed.connect(self.show_project)
        session.chosen_changed.connect(self.show_chosen)
        session.begun.connect(self._begin)
        session.printed.connect(self._show_print)
        session.aligned.connect(self._show_print)
        session.flagged.connect(self._show_print)
        session.listened.connect(self._show_listened)
        performing.changed.connect(self.show_jobs)
        performing.progressed.connect(self._show_progress)
        performing.grew.connect(self._show_growth)
        performing.candidates.changed.connect(self.show_candidates)
        playback.changed.connect(self._show_playback)
        self.setParent(self.script)  # and ends with it
        self.show_project()
        self.show_chosen()

    @property
    def scene(self) -> int:
        """The scene of the chosen line; where none is chosen, the one that the cursor is in."""
        line = self._session.line
        return self._session.place(line.id)[0] if line is not None else self.script.scene_selected()

    @property
    def clips(self) -> tuple[TimelineClip, ...]:
        """What the timeline shows."""
        return self._clips.clips

    @Slot()
    def show_project(self) -> None:
        project, before = self._session.project, self._seen
        self._seen = project
        self.script.show_project(project)
        looked_at = " (read-only)" if self._session.in_file.read_only else ""
        self.top.show_title(project.title + looked_at, self._session.unsaved)
        self.show_voices()
        come = difference(before, project).come if self._session.store is self._store else project.lines()
        self._store = self._session.store
        for line in come:
            if line.kept is not None and self._session.print_of(line.kept) is None:
                self._performing.need_print(line.kept)
        self._clips.wait()
        self.show_jobs()
        self._show_takes()

    @Slot()
    def _begin(self) -> None:
        """Another project is there: its clips are seen at once, and all of them."""
        self._clips.make()
        self.timeline.fit()

    @Slot()
    def show_chosen(self) -> None:
        session = self._session
        line, selection = session.line, session.selection
        if line is not None:
            self.script.choose_line(line.id)
            self.cast.show_chosen(line.character)
        self.timeline.choose_line(line.id if line else None)
        self.top.show_scenes([scene.title for scene in session.project.scenes], self.scene)
        if selection is None or selection.span is None:
            self.script.show_selection(None)
            self.timeline.show_span(line.id if line else "", 0, None)
        else:
            boxed = (0, 0) if selection.by_text else selection.text  # the script shows its own selection itself
            self.script.show_selection(selection.line_id, *boxed)
            self.timeline.show_span(selection.line_id, *selection.span)
        self._show_takes()
        self.show_candidates()

    @Slot()
    def show_jobs(self) -> None:
        """Where the lines stand, what runs, and the clips; those of a long script when there is time for them."""
        self.script.show_states(self._standing.follow())
        standing = self._standing
        if not standing.states:
            self.top.show_no_lines()
        else:
            wanting, takeless = len(standing.wanting), len(standing.takeless)
            self.top.show_stale(wanting, takeless, len(standing.voiceless), len(standing.making), self._loading)
        self.jobs.show_job(showing.job_view(self._performing, self._session))
        self._clips.follow()

    @Slot()
    def _show_clips(self) -> None:
        self._show_lanes()
        self.timeline.show_clips(self.clips)
        self.show_time()

    def _show_lanes(self) -> None:
        speaking = dict.fromkeys(clip.character for clip in self.clips)
        self.timeline.show_lanes(showing.lanes(self._session.project, speaking, self._playback))

    @Slot(str)
    def _show_progress(self, line_id: str) -> None:
        """How far the job of one line is; all else is as it was."""
        line = self._session.find(line_id)
        if line is not None:
            self.script.show_states({line_id: self._performing.state(line)})
        self.jobs.show_job(showing.job_view(self._performing, self._session))

    @Slot()
    def show_candidates(self) -> None:
        """The chosen span, and the candidates where there are some for the chosen line."""
        session, view = self._session, self._performing.candidates.view
        line, selection = session.line, session.selection
        if line is None:
            self.candidates.show_nothing()
            return
        seconds = showing.frame_seconds(session.engine)
        take = session.kept(line)
        spanned = selection is not None and selection.span is not None
        self.candidates.show_joins(spanned or (take is not None and take.origin.span is not None))
        if view is not None and view.line_id == line.id:
            self.candidates.show_span(view.place.words, view.span, (view.span[1] - view.span[0]) * seconds, line.locked)
            chips = showing.chips(view, self._performing.options.candidates)
            self.candidates.show_candidates(chips, None if view.share is not None else view.chosen)
            self.candidates.show_busy(view.share)
            self.timeline.show_busy_span(line.id, view.span if view.share is not None else None)
            return
        self.timeline.show_busy_span(line.id, None)
        self.candidates.show_busy(None)
        if selection is not None and selection.span is not None:
            span = selection.span
            self.candidates.show_span(selected_words(line, selection), span, (span[1] - span[0]) * seconds, line.locked)
            self.candidates.show_candidates((), None)
        elif (place := self._performing.changed_place(line)) is not None:
            self.candidates.show_span(place.words, place.span, (place.span[1] - place.span[0]) * seconds, line.locked)
            self.candidates.show_candidates((), None)
        else:
            self.candidates.show_nothing()

    @Slot()
    def show_voices(self) -> None:
        """The voices that can be cast."""
        names = tuple(voice.name for voice in self._session.voices())
        self.cast.show_cast(self._session.project.cast, names)
        self._performing.need_voice_prints()

    def show_engine(self, words: str, loading: bool) -> None:
        self._loading = loading
        self.jobs.show_engine(words)

    @Slot()
    def show_time(self) -> None:
        seconds = self._playback.seconds
        self.top.show_time(seconds, self._clips.seconds)
        self.timeline.show_playhead(seconds)

    @Slot()
    def _show_playback(self) -> None:
        playback = self._playback
        self.top.show_playing(playback.playing)
        self._show_lanes()
        self.top.show_loop(playback.looping)
        self.timeline.show_loop(*(playback.loop if playback.loop and playback.looping else (0.0, None)))
        if playback.playing:
            self._tick.start()
        else:
            self._tick.stop()
        self.show_time()

    @Slot()
    def _show_print(self) -> None:
        """Prints come by the hundred when a project is opened: they are shown a few times a second."""
        if not self._soon.isActive():
            self._soon.start()

    @Slot(str)
    def _show_listened(self, take_id: str) -> None:
        """The lines that keep a take show what was heard of it."""
        lines = [line for line in self._session.project.lines() if line.kept == take_id]
        self.script.show_states({line.id: self._performing.state(line) for line in lines})
        self._show_print()

    @Slot()
    def _show_prints(self) -> None:
        self.show_jobs()
        self._show_takes()

    @Slot(str)
    def _show_growth(self, line_id: str) -> None:
        job = self._performing.performing(line_id)
        if job is not None and job.wave is not None:
            self.timeline.grow(line_id, job.wave, job.wave.seconds)

    def _show_takes(self) -> None:
        session = self._session
        line = session.line
        if line is None:
            self.takes.show_takes(None, 0, ())
            self.details.show_details(())
            self.timeline.show_take_lanes("", ())
            return
        for take_id in line.takes:
            if session.print_of(take_id) is None:
                self._performing.need_print(take_id)
        colour = showing.colour_of(session.project, line.character)
        self.takes.show_takes(session.number(line.id), colour, showing.take_rows(session, line), line.locked)
        self.details.show_details(showing.details(session, line, line.kept))
        self.timeline.show_take_lanes(line.id, showing.take_lanes(session, line))
