"""How near the timeline is seen, and from where to where."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from studio.panels.timeline_layout import Shown
from studio.panels.timeline_view import View
from studio.panels.timeline_wishes import Wishing

ROOM = 20.0  # seconds that are seen where nothing is written yet


class Zooming(Wishing):
    """The views that keys and wheel ask for; the timeline shows them by `_set_view`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = Shown()
        self._other_view: View | None = None

    def zoom(self, factor: float, x: float | None = None) -> None:
        """`factor` times as close at a place of the canvas: the playhead where none is given and it is seen."""
        view = self._shown.view
        if x is None:
            x = view.x(self._shown.playhead) if view.shows(self._shown.playhead) else view.width / 2
        farthest = 0.8 * view.around(0, max(self._shown.length, 1.0)).pixels_per_second
        self._set_view(view.zoom_at(x, max(factor, min(1.0, farthest / view.pixels_per_second))))

    def fit(self) -> None:
        """Shows all there is; where that is nothing yet, room for the first lines."""
        length = max(self._shown.length, 1.0) if self._shown.clips else ROOM
        self._jump_view(self._shown.view.around(0, length, margin=0.01))

    def zoom_to_selection(self) -> None:
        """Shows the chosen span, or the chosen line, as large as it goes."""
        selection = self._shown.selection()
        if selection is not None:
            self._jump_view(self._shown.view.around(*selection, margin=0.1))

    def toggle_zoom(self) -> None:
        """Back to the view before the last fit or zoom to the selection, and forth."""
        if self._other_view is None:
            self.zoom_to_selection()
        else:
            self._jump_view(self._other_view)

    def _jump_view(self, view: View) -> None:
        self._other_view = self._shown.view
        self._set_view(view)

    def _set_view(self, view: View) -> None:
        """Shows a view: the timeline's part."""
