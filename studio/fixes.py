"""The menu entries for what the lint found: why, what can be done, and how not to hear of it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QMenu

from studio.document.lint import Finding, Fix, Rule


def add_fixes(
    menu: QMenu,
    found: Sequence[Finding],
    fix_wanted: Callable[[Finding, Fix], None],
    quiet_wanted: Callable[[Rule], None],
) -> None:
    """Adds entries for each of the findings, a separator between two."""
    for finding in found:
        if finding is not found[0]:
            menu.addSeparator()
        menu.addAction(finding.says).setEnabled(False)
        for fix in finding.fixes:
            action = menu.addAction(fix.words)
            action.triggered.connect(lambda _=False, finding=finding, fix=fix: fix_wanted(finding, fix))
        quiet = menu.addAction(f"Do not warn of: {finding.rule.value.lower()}")
        quiet.triggered.connect(lambda _=False, rule=finding.rule: quiet_wanted(rule))
