"""Open a setting from anywhere in the app: what the sidebar holds follows."""

from __future__ import annotations

from chunkviz.params import TextList, parameters_of
from chunkviz.strategies import Strategy
from chunkviz.ui import session
from chunkviz.ui.controls import put_parameter, typed_separators


def put_setting(strategy: Strategy, sample: str | None = None) -> None:
    """Make the sidebar hold a strategy with its parameters, and a bundled document; for an ``on_click``.

    A link with these settings would not do: widgets that are open keep what they hold.
    """
    session.put("strategy", strategy.name)
    for parameter in parameters_of(type(strategy)):
        value = getattr(strategy, parameter.name)
        if isinstance(parameter.control, TextList):
            value = typed_separators(value, is_regex=getattr(strategy, "is_regex", False))
        put_parameter(strategy.name, parameter.name, value)
    if sample is not None:
        session.put("source", "Sample")
        session.put("sample", sample)
