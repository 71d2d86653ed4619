"""The clients of OpenAI and Anthropic, as they are used without a framework."""

import json


def chat(model_url, played):
    """Returns the function that plays a scenario with chat completions."""
    from openai import OpenAI

    client = OpenAI(api_key="k", base_url=f"{model_url}/v1", max_retries=0)

    def play(scenario):
        calls = scenario.get("calls", [])
        content = scenario["prompt"]
        if "image" in scenario:
            url = f"data:image/png;base64,{scenario['image']}"
            content = [
                {"type": "text", "text": content},
                {"type": "image_url", "image_url": {"url": url}},
            ]
        messages = [{"role": "system", "content": played["system"]}, {"role": "user", "content": content}]
        more = {"tools": [{"type": "function", "function": played["tool"]}]} if calls else {}
        if "streams" in scenario:
            more = {"stream": True, "stream_options": {"include_usage": True}}

        def ask(asked):
            return client.chat.completions.create(
                model=played["model"], temperature=played["temperature"], messages=asked, **more
            )

        answer = ask(messages)
        if "streams" in scenario:
            read(answer, scenario)
            return
        if calls:
            results = [
                {"role": "tool", "tool_call_id": call["id"], "content": call["result"]} for call in calls
            ]
            said = answer.choices[0].message.model_dump(exclude_none=True)
            ask([*messages, said, *results])

    return play


def anthropic(model_url, played):
    """Returns the function that plays a scenario with Anthropic's messages."""
    from anthropic import Anthropic

    client = Anthropic(api_key="k", base_url=model_url, max_retries=0)
    tool = played["tool"]
    tools = [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
    ]

    def play(scenario):
        calls = scenario.get("calls", [])
        content = scenario["prompt"]
        if "image" in scenario:
            source = {"type": "base64", "media_type": "image/png", "data": scenario["image"]}
            content = [{"type": "text", "text": content}, {"type": "image", "source": source}]
        messages = [{"role": "user", "content": content}]
        more = {"tools": tools} if calls else {}
        if "reasoning" in scenario:
            more["thinking"] = {"type": "enabled", "budget_tokens": 2000}
        if "streams" in scenario:
            more["stream"] = True

        def ask(asked):
            return client.messages.create(
                model=played["anthropicModel"],
                system=played["system"],
                max_tokens=played["max_tokens"],
                messages=asked,
                **more,
            )

        answer = ask(messages)
        if "streams" in scenario:
            read(answer, scenario)
            return
        if calls:
            results = [
                {"type": "tool_result", "tool_use_id": call["id"], "content": call["result"]}
                for call in calls
            ]
            said = [json.loads(block.model_dump_json(exclude_none=True)) for block in answer.content]
            ask([*messages, {"role": "assistant", "content": said}, {"role": "user", "content": results}])

    return play


def read(stream, scenario):
    """Reads a stream to its end, or leaves one without an end after its fourth part."""
    parts = 0
    with stream:
        for _ in stream:
            parts += 1
            if "endless" in scenario and parts == 4:
                break
