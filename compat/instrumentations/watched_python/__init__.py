"""Every instrumentation of the lab that runs in Python, by the name that `lab/subjects.ts` has."""

from importlib import import_module

from .agents import openai_agents, pydantic_ai
from .clients import anthropic, chat


def instrumented(module, name, play, **options):
    """Watches a client with an instrumentation that patches it."""

    def start(model_url, played, _):
        getattr(import_module(module), name)(**options).instrument()
        return play(model_url, played)

    return start


def logfire(play, instrument):
    """Watches a client with Logfire, whose spans any service of OpenTelemetry may have."""

    def start(model_url, played, processor):
        import logfire

        logfire.configure(
            send_to_logfire=False,
            console=False,
            inspect_arguments=False,
            additional_span_processors=[processor],
        )
        getattr(logfire, instrument)()
        return play(model_url, played)

    return start


def by_itself(play):
    """Lets a framework watch itself."""
    return lambda model_url, played, _: play(model_url, played)


OPENAI_V2 = "opentelemetry.instrumentation.openai_v2"
OPENLLMETRY = "opentelemetry.instrumentation"
OPENINFERENCE = "openinference.instrumentation"

def by_itself(play):
    """Lets a framework watch itself."""
    return lambda model_url, played, _: play(model_url, played)


OPENAI_V2 = instrumented("opentelemetry.instrumentation.openai_v2", "OpenAIInstrumentor", chat)
OPENLLMETRY_OPENAI = instrumented("opentelemetry.instrumentation.openai", "OpenAIInstrumentor", chat)
OPENLLMETRY_ANTHROPIC = instrumented(
    "opentelemetry.instrumentation.anthropic", "AnthropicInstrumentor", anthropic
)
OPENINFERENCE_OPENAI = instrumented("openinference.instrumentation.openai", "OpenAIInstrumentor", chat)
OPENINFERENCE_ANTHROPIC = instrumented(
    "openinference.instrumentation.anthropic", "AnthropicInstrumentor", anthropic
)
OPENINFERENCE_AGENTS = instrumented(
    "openinference.instrumentation.openai_agents", "OpenAIAgentsInstrumentor", openai_agents
)

WATCHED = {
    "opentelemetry-instrumentation-openai-v2 2.3": OPENAI_V2,
    "opentelemetry-instrumentation-openai-v2 2.1": OPENAI_V2,
    "opentelemetry-instrumentation-openai 0.62": OPENLLMETRY_OPENAI,
    "opentelemetry-instrumentation-openai 0.49": OPENLLMETRY_OPENAI,
    "opentelemetry-instrumentation-anthropic 0.62": OPENLLMETRY_ANTHROPIC,
    "opentelemetry-instrumentation-anthropic 0.49": OPENLLMETRY_ANTHROPIC,
    "openinference-instrumentation-openai 0.1": OPENINFERENCE_OPENAI,
    "openinference-instrumentation-anthropic 3": OPENINFERENCE_ANTHROPIC,
    "openinference-instrumentation-openai-agents 2": OPENINFERENCE_AGENTS,
    "openinference-instrumentation-openai-agents 1": OPENINFERENCE_AGENTS,
    "pydantic-ai 2": by_itself(pydantic_ai),
    "pydantic-ai 1": by_itself(pydantic_ai),
    "logfire 5": logfire(chat, "instrument_openai"),
    "logfire 4": logfire(chat, "instrument_openai"),
}
