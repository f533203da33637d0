"""What Prometheus reads at ``/metrics``: requests, seconds, bytes, what is being answered, and what is served."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from legalir_serve.processes import COUNTS
from legalir_serve.service import Service

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20)


class Metrics:
    """Numbers about the requests of this process.

    Args:
        service: what is served.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = registry = CollectorRegistry()
        self._requests = Counter("legalir_requests", "Requests.", ["route", "status"], registry=registry)
        self._bytes = Counter("legalir_response_bytes", "Bytes of replies, as sent.", ["route"], registry=registry)
        self._seconds = Histogram(
            "legalir_request_seconds", "Seconds of a request.", ["route"], buckets=_SECONDS, registry=registry
        )
        self._begun = Gauge(
            "legalir_requests_begun", "Requests being answered.", registry=registry, multiprocess_mode="livesum"
        )
        self._provisions = Gauge(
            "legalir_collection_provisions",
            "Provisions of each collection that is open.",
            ["collection"],
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        ProcessCollector(registry=registry)

    def text(self) -> str:
        """Return all values, in the format of Prometheus; those of all processes that serve."""
        for row in self._service.collections():
            self._provisions.labels(row["name"]).set(row["provisions"])
        if COUNTS not in os.environ:
            return generate_latest(self._registry).decode()
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together).decode()

    def around(self, app: ASGIApp, routes: Iterable[str]) -> ASGIApp:
        """Return an application that counts each request, also one that its guard refuses.

        Args:
            app: the application.
            routes: paths that it has; all other addresses are counted as one, so that nobody makes names by asking.
        """
        known = frozenset(routes)

        async def counting(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            path = scope["path"]
            route = "/static" if path.startswith("/static/") else path if path in known else "other"
            begin, status, size = time.perf_counter(), "none", 0

            async def counted(message: Message) -> None:
                nonlocal status, size
                status = str(message.get("status", status))
                size += len(message.get("body", b""))
                await send(message)

            self._begun.inc()
            try:
                await app(scope, receive, counted)
            finally:
                self._begun.dec()
                self._requests.labels(route, status).inc()
                self._bytes.labels(route).inc(size)
                self._seconds.labels(route).observe(time.perf_counter() - begin)

        return counting
