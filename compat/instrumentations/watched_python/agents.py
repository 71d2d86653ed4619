"""Frameworks that call the tools themselves."""

import asyncio


def results_of(scenario):
    return {call["city"]: call["result"] for call in scenario.get("calls", [])}


def pydantic_ai(model_url, played):
    """Returns the function that plays a scenario with an agent of Pydantic AI, which watches itself."""
    from pydantic_ai import Agent, BinaryContent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from openai import AsyncOpenAI
    import base64

    Agent.instrument_all()

    async def converse(scenario):
        client = AsyncOpenAI(api_key="k", base_url=f"{model_url}/v1", max_retries=0)
        model = OpenAIChatModel(played["model"], provider=OpenAIProvider(openai_client=client))
        results = results_of(scenario)

        def weather(city: str) -> str:
            return results[city]

        weather.__doc__ = played["tool"]["description"]
        agent = Agent(
            model,
            instructions=played["system"],
            tools=[weather] if results else [],
            model_settings={"temperature": played["temperature"]},
        )
        asked = scenario["prompt"]
        if "image" in scenario:
            asked = [asked, BinaryContent(base64.b64decode(scenario["image"]), media_type="image/png")]
        if "streams" not in scenario:
            await agent.run(asked)
            return
        async with agent.run_stream(asked) as stream:
            parts = 0
            async for _ in stream.stream_text(delta=True, debounce_by=None):
                parts += 1
                if "endless" in scenario and parts == 3:
                    break

    return lambda scenario: asyncio.run(converse(scenario))


def openai_agents(model_url, played):
    """Returns the function that plays a scenario with an agent of the OpenAI Agents SDK."""
    from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, function_tool
    from openai import AsyncOpenAI

    async def converse(scenario):
        client = AsyncOpenAI(api_key="k", base_url=f"{model_url}/v1", max_retries=0)
        results = results_of(scenario)

        @function_tool(description_override=played["tool"]["description"])
        def weather(city: str) -> str:
            return results[city]

        agent = Agent(
            name="agent",
            instructions=played["system"],
            tools=[weather] if results else [],
            model=OpenAIChatCompletionsModel(model=played["model"], openai_client=client),
            model_settings=ModelSettings(temperature=played["temperature"], include_usage=True),
        )
        asked = scenario["prompt"]
        if "image" in scenario:
            url = f"data:image/png;base64,{scenario['image']}"
            content = [
                {"type": "input_text", "text": asked},
                {"type": "input_image", "image_url": url, "detail": "auto"},
            ]
            asked = [{"role": "user", "content": content}]
        if "streams" not in scenario:
            await Runner.run(agent, asked)
            return
        result = Runner.run_streamed(agent, asked)
        parts = 0
        async for _ in result.stream_events():
            parts += 1
            if "endless" in scenario and parts == 4:
                result.cancel()

    return lambda scenario: asyncio.run(converse(scenario))
