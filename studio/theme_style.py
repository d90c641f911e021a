"""The style sheet, for what Qt's own widgets show. Fonts are set on the widgets: a sheet knows whole pixels only.

Widgets say what they are by dynamic properties: `kind` of a button (filled, outline, plain, value) or a frame (panel,
bar, separator), and `tone` of a label (muted, faint, good, warning, danger, accent).
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

_SHEET = Template("""
* { outline: none; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 1px 2px; }
QMainWindow, QDialog { background: $surface; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QSplitter::handle { background: $line; }
QSplitter::handle:hover { background: $accent; }

QLabel { background: transparent; }
QLabel[tone="muted"] { color: $muted; }
QLabel[tone="faint"] { color: $faint; }
QLabel[tone="good"] { color: $good; }
QLabel[tone="warning"] { color: $warning; }
QLabel[tone="danger"] { color: $danger; }
QLabel[tone="accent"] { color: $accent; }

QLabel[kind="foot"] { background: $ground; }

QFrame[kind="panel"] { background: $surface; border: none; }
QFrame[kind="bar"] { background: $surface; border: none; }
QFrame[kind="separator"] { background: $line; border: none; }

QPushButton {
    background: $raised; color: $text; border: 1px solid $line; border-radius: 6px;
    min-height: 26px; max-height: 26px; padding: 0 10px;
}
QPushButton:hover { background: $lifted; }
QPushButton:pressed, QPushButton:checked { background: $chosen; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $weak; background: transparent; }
QPushButton[kind="filled"], QPushButton:default { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[kind="filled"]:hover, QPushButton:default:hover { background: $accent_lifted; }
QPushButton[kind="filled"]:focus, QPushButton:default:focus { border-color: $text; }
QPushButton[kind="filled"]:disabled, QPushButton:default:disabled {
    background: $raised; color: $weak; border-color: $line;
}
QPushButton[kind="outline"] { background: $chosen; color: $accent; border-color: $accent_line; }
QPushButton[kind="outline"]:hover { background: $held; }
QPushButton[kind="outline"]:focus { border-color: $accent; }
QPushButton[kind="outline"]:disabled { background: transparent; color: $muted; border-color: $line; }
QPushButton[kind="plain"] { background: transparent; }
QPushButton[kind="plain"]:hover { background: $raised; }
QPushButton[kind="value"] {
    background: transparent; border: none; border-bottom: 1px dotted $faint; border-radius: 0; padding: 0;
    min-height: 15px; max-height: 15px;
}
QPushButton[kind="value"]:hover, QPushButton[kind="value"]:focus { border-bottom: 1px solid $accent; }

QLineEdit, QAbstractSpinBox, QPlainTextEdit[kind="field"], QTextEdit[kind="field"], QComboBox {
    background: $ground; color: $text; border: 1px solid $line; border-radius: 6px; padding: 0 8px;
    selection-background-color: $held; selection-color: $text; placeholder-text-color: $faint;
}
QLineEdit, QAbstractSpinBox, QComboBox { min-height: 26px; max-height: 26px; }
QComboBox { padding: 0 10px; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus { border-color: $accent; }
QPlainTextEdit[kind="field"]:focus, QTextEdit[kind="field"]:focus { border-color: $accent; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { color: $weak; }
QAbstractSpinBox QLineEdit { background: transparent; border: none; padding: 0 8px; min-height: 0; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; border: none; }
QAbstractSpinBox::up-arrow, QAbstractSpinBox::down-arrow { width: 0; height: 0; }

QRadioButton, QCheckBox { spacing: 8px; }
QRadioButton::indicator, QCheckBox::indicator, QTreeView::indicator {
    width: 12px; height: 12px; border: 1px solid $faint; background: $ground;
}
QRadioButton::indicator { border-radius: 7px; }
QCheckBox::indicator, QTreeView::indicator { border-radius: 3px; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 4px solid $accent; background: $on_accent; }
QCheckBox::indicator:checked, QTreeView::indicator:checked {
    width: 6px; height: 6px; border: 4px solid $accent; background: $on_accent;
}
QTreeView::indicator:indeterminate { border-color: $accent; background: $chosen; }
QTreeView::item { height: 24px; }
QRadioButton::indicator:focus, QCheckBox::indicator:focus { border-color: $accent; }
QComboBox::drop-down { border: none; width: 26px; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView {
    background: $raised; color: $text; border: 1px solid $line; border-radius: 0; padding: 4px;
    selection-background-color: $held; selection-color: $text;
}

QMenu { background: $raised; color: $text; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 20px 5px 12px; border-radius: 4px; min-width: 120px; }
QMenu::item:selected { background: $held; }
QMenu::item:disabled { color: $weak; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }
QMenuBar { background: $surface; color: $text; border-bottom: 1px solid $line; }
QMenuBar::item { background: transparent; padding: 4px 8px; border-radius: 4px; }
QMenuBar::item:selected { background: $raised; }

QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 8px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 8px; margin: 0; }
QPlainTextEdit QScrollBar:vertical { background: $ground; }
QScrollBar::handle { background: $handle; border-radius: 2px; margin: 2px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QListView, QTreeView, QTableView {
    background: $ground; border: 1px solid $line; border-radius: 6px; selection-background-color: $chosen;
    selection-color: $text;
}
QListView[kind="rows"] { background: $surface; border: none; border-radius: 0; }
QHeaderView::section { background: $surface; color: $muted; border: none; padding: 4px 8px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMessageBox QLabel#qt_msgbox_label { font-weight: 600; }
QProgressBar { background: $line; border: none; border-radius: 1px; }
QProgressBar::chunk { background: $accent; border-radius: 1px; }
""")


def sheet(colours: Mapping[str, str]) -> str:
    """The style sheet of the whole program; `colours` holds the palette's by name and those mixed of them."""
    return _SHEET.substitute(colours)
