"""Applications that instrumentations watch: `application.js`, in Python. Standard input names one after the other; each
plays in a process of its own, as an instrumentation patches what it watches. The arguments: the address of the model, that
of the service, and a key."""

import json
import os
import pathlib
import sys
import traceback

# These take seconds to import, so all processes share them.
import anthropic  # noqa: F401
import openai  # noqa: F401
from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from watched_python import WATCHED

_, MODEL_URL, SERVICE_URL, API_KEY = sys.argv
PLAYED = json.loads((pathlib.Path(__file__).parent / "scenarios.json").read_text())
HEADERS = {"x-api-key": API_KEY}


def play_all(name):
    """Plays every scenario in a conversation of its own, and says when all of it is exported."""
    processor = BatchSpanProcessor(OTLPSpanExporter(f"{SERVICE_URL}/v1/traces", headers=HEADERS))
    tracer_provider = TracerProvider()
    tracer_provider.add_span_processor(processor)
    trace.set_tracer_provider(tracer_provider)
    logger_provider = LoggerProvider()
    logger_provider.add_log_record_processor(
        BatchLogRecordProcessor(OTLPLogExporter(f"{SERVICE_URL}/v1/logs", headers=HEADERS))
    )
    set_logger_provider(logger_provider)
    set_event_logger_provider(logger_provider)
    play = WATCHED[name](MODEL_URL, PLAYED, processor)
    for scenario in PLAYED["scenarios"]:
        attributes = {"session.id": f"{name}: {scenario['name']}", "user.id": PLAYED["user"]}
        with trace.get_tracer("application").start_as_current_span("agent", attributes=attributes):
            try:
                play(scenario)
            except Exception:
                if not ("error" in scenario or "endless" in scenario):
                    raise
        tracer_provider.force_flush()
        logger_provider.force_flush()
        # The one who listens has read what was exported before it lets the next scenario begin.
        print(scenario["name"], flush=True)
        sys.stdin.readline()


def set_event_logger_provider(logger_provider):
    """Sets the provider of events, which had an API of their own up to version 1.38."""
    try:
        from opentelemetry import _events
        from opentelemetry.sdk._events import EventLoggerProvider
    except ImportError:
        return
    _events.set_event_logger_provider(EventLoggerProvider(logger_provider))


for line in iter(sys.stdin.readline, ""):
    child = os.fork()
    if child == 0:
        try:
            play_all(line.strip())
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(f"end {os.waitstatus_to_exitcode(status)}", flush=True)
