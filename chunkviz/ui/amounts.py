"""Numbers with their units, as people read them."""

from __future__ import annotations

from chunkviz.cost import Unit

_CENT, _KILO, _MEGA, _GIGA = 0.01, 1e3, 1e6, 1e9


def written(value: float | None, unit: Unit, *, signed: bool = False) -> str:
    """Return a value with its unit, "–" where it is not known; with ``signed`` a plus or minus before it."""
    if value is None:
        return "–"
    sign = ("−" if value < 0 else "+" if value > 0 else "±" if unit == "ratio" else "") if signed else ""
    size = abs(value)
    match unit:
        case "count" | "tokens":
            return f"{sign}{size:,.0f}"
        case "ratio":
            return f"{sign}{size:.2f}" if signed else f"×{size:.2f}"
        case "bytes":
            for least, name in ((_GIGA, "GB"), (_MEGA, "MB"), (_KILO, "kB")):
                if size >= least:
                    return f"{sign}{size / least:,.1f} {name}"
            return f"{sign}{size:,.0f} B"
        case "dollars":
            return f"{sign}${size:,.2f}" if size >= _CENT or not size else f"{sign}${size:.6f}"
