"""An e-mail message -> its heading fields and its body."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable
from email.message import EmailMessage
from typing import cast

from chunkviz.wording import count_of

_FIELDS = ("From", "To", "Cc", "Date")


def message_text(data: bytes, to_markdown: Callable[[str], str]) -> tuple[str, str | None, list[str]]:
    """Return Markdown, the subject and what was left out.

    The plain body is preferred, as it was written; an HTML-only body goes through ``to_markdown``. Attachments are
    named, not read.
    """
    message = email.message_from_bytes(data, policy=email.policy.default)
    subject = _field(message, "Subject")
    head = [f"# {subject}"] if subject else []
    head += [f"{field}: {value}" for field in _FIELDS if (value := _field(message, field))]
    body = message.get_body(("plain", "html"))
    text = ""
    if body is not None:
        content = _content(cast("EmailMessage", body))
        text = to_markdown(content) if body.get_content_subtype() == "html" else content
    attachments = [part.get_filename() or "without a name" for part in message.iter_attachments()]
    changes = [f"Left out {count_of(len(attachments), 'attachment')}: {', '.join(attachments)}."] if attachments else []
    blocks = [*head[:1], "\n".join(head[1:]), text.strip()] if subject else ["\n".join(head), text.strip()]
    return "\n\n".join(block for block in blocks if block), subject or None, changes


def _field(message: EmailMessage, name: str) -> str:
    """Return a heading field on one line; a malformed one counts as absent."""
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError, TypeError):  # the standard parser's own faults on odd fields
        return ""


def _content(part: EmailMessage) -> str:
    """Return the text of a part, also when it names an encoding nobody knows."""
    try:
        return str(part.get_content())
    except (LookupError, ValueError):
        payload = part.get_payload(decode=True)
        return payload.decode("utf-8", "replace") if isinstance(payload, bytes) else str(payload or "")
