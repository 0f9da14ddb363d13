"""No paid call without a yes: services that say what the work would cost before it is sent, and the box that asks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from chunkviz.errors import ChunkvizError
from chunkviz.ui import jobs, session
from chunkviz.ui.amounts import written
from chunkviz.ui.text import as_plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chunkviz.prices import Estimate
    from chunkviz.services import WriteRequest


class ConsentNeeded(ChunkvizError):  # noqa: N818  it is a question, not a fault
    """Somebody has to agree to what the work would cost."""

    def __init__(self, service: str, estimate: Estimate, digest: str) -> None:
        """Name the service and what it would be sent; ``digest`` names the texts."""
        super().__init__(f"{service} has not been asked yet. {estimate}")
        self.service, self.estimate, self.digest = service, estimate, digest


class AskFirst:
    """A paid embedder or writer that sends nothing before somebody has agreed to the estimate.

    Everything but the question is the inner service's own.
    """

    def __init__(self, inner: Any, agreed: set[str]) -> None:
        self.inner = inner
        self.agreed = agreed
        """Digests of what was agreed to; the screen adds to it."""
        self.question: ConsentNeeded | None = None
        """What it asked last, for whoever catches every error of a setting and goes on to the next."""

    def __getattr__(self, name: str) -> Any:
        """Pass on limits, usage and whatever else the inner service tells about itself."""
        return getattr(self.inner, name)

    @property
    def name(self) -> str:
        """Name of the inner service."""
        return str(self.inner.name)

    def fitted(self, texts: Sequence[str]) -> Any:
        """Return the embedder once it may be asked for these texts.

        Raises
        ------
        ConsentNeeded
            When nobody has agreed to it, and something would be sent.

        """
        self._ask("embed", texts, lambda: self.inner.estimate(texts))
        return self.inner

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, dimensions), once it may be asked; see :meth:`fitted`."""
        vectors: NDArray[np.float32] = self.fitted(texts).embed(texts)
        return vectors

    def check(self, requests: Sequence[WriteRequest]) -> None:
        """Raise ``ConsentNeeded`` unless somebody has agreed to these requests, or nothing would be sent."""
        texts = [f"{request.start}-{request.end} {request.document.id}" for request in requests]
        self._ask(self.inner.name, texts, lambda: self.inner.estimate(requests))

    def write(self, request: WriteRequest, /) -> str:
        """Return the context; what is asked here was agreed to before."""
        return str(self.inner.write(request))

    def _ask(self, kind: str, texts: Sequence[str], estimate: Callable[[], Estimate]) -> None:
        digest = hashlib.sha256("\0".join([kind, *texts]).encode("utf-8", "surrogatepass")).hexdigest()
        if digest in self.agreed:
            return
        found = estimate()
        if found.calls:
            self.question = ConsentNeeded(self.name, found, digest)
            raise self.question


def ask(question: ConsentNeeded, *, slot: str = "chunking") -> None:
    """Draw what a paid service would be sent, with the button that agrees to it; ``slot`` is that of the job."""
    estimate = question.estimate
    own = "" if slot == "chunking" else f" {slot}"
    with st.container(border=True, key=f"consent{own}"):
        requests = f"{estimate.calls:,} request{'' if estimate.calls == 1 else 's'}"
        st.markdown(f"This needs **{requests} to {as_plain(question.service)}**.")
        money = "price not known" if estimate.dollars is None else f"about {written(estimate.dollars, 'dollars')}"
        calls, tokens, dollars = st.columns(3)
        calls.metric("Calls (estimate)", f"{estimate.calls:,}")
        tokens.metric("Tokens (estimate)", f"{estimate.tokens:,}", help=str(estimate))
        dollars.metric("Money (estimate)", money)
        if st.button(
            "Send them" if estimate.calls > 1 else "Send it", type="primary", icon=":material/send:", key=f"agree{own}"
        ):
            agreed: set[str] = session.keep("agreed", set)
            agreed.add(question.digest)
            jobs.forget(slot)
            st.rerun()
        st.caption(
            "Nothing has been sent yet. The figures are estimates: tokens counted here, at OpenAI's list prices."
        )
