"""Drives a released `literalai` client, unmodified, and looks at what it gives back.

Every test runs on the synchronous and on the asynchronous client; a test that an older version has no call for is left out.
"""

import json
import os
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

import pytest
from conftest import API_KEY, API_URL, Blocking, since, until

from literalai import AsyncLiteralClient, LiteralClient, Message, Step, Thread

try:
    from literalai import Attachment, ChatGeneration, CompletionGeneration, Score
except ImportError:
    from literalai.my_types import Attachment, ChatGeneration, CompletionGeneration, Score


def unique(word="x"):
    return f"{word}-{uuid.uuid4()}"


def later(ms=0):
    moment = datetime.now(timezone.utc) + timedelta(milliseconds=ms)
    return moment.isoformat().replace("+00:00", "Z")


FLAVOURS = {"sync": LiteralClient, "async": AsyncLiteralClient}


@pytest.fixture(params=FLAVOURS, scope="session")
def flavour(request):
    return FLAVOURS[request.param]


@pytest.fixture
def client(flavour):
    """A client that records: it is stopped to know that all was sent, and so is one of each test."""
    client = flavour(batch_size=1, api_key=API_KEY, url=API_URL)
    yield client
    client.event_processor.flush_and_stop()


@pytest.fixture(scope="session")
def api(flavour, loop):
    return Blocking(flavour(batch_size=1, api_key=API_KEY, url=API_URL).api, loop)


def page_of(page):
    """Where a page lies in its list; the name of it changed."""
    info = page.page_info if hasattr(page, "page_info") else page.pageInfo
    return info.to_dict()


def total_of(page):
    """How many rows there are; the oldest clients don't say."""
    return getattr(page, "total_count", getattr(page, "totalCount", None))


def delivered(client):
    """Waits until the client has sent all it recorded; `flush` of the older versions does not wait for the last batch."""
    client.event_processor.flush_and_stop()


# users


def test_a_user_is_created_found_changed_listed_and_deleted(api):
    identifier = unique("ada")
    user = api.create_user(identifier=identifier, metadata={"plan": "pro"})
    assert user.id and user.identifier == identifier and user.metadata == {"plan": "pro"}
    found = api.get_user(identifier=identifier)
    assert (found.id, found.metadata) == (user.id, {"plan": "pro"})
    assert found.created_at
    assert api.get_user(id=user.id).identifier == identifier
    changed = api.update_user(id=user.id, metadata={"plan": "free"})
    assert changed.identifier == identifier and changed.metadata == {"plan": "free"}
    renamed = api.update_user(id=user.id, identifier=identifier + "2")
    assert renamed.metadata == {"plan": "free"}
    page = api.get_users(
        first=1,
        filters=[{"field": "identifier", "operator": "in", "value": [identifier + "2"]}],
    )
    assert [one.id for one in page.data] == [user.id]
    assert page_of(page)["hasNextPage"] is False
    assert api.delete_user(id=user.id)
    assert api.get_user(id=user.id) is None


def test_get_or_create_user_creates_once_and_metadata_is_never_null(api):
    identifier = unique("bob")
    created = api.get_or_create_user(identifier=identifier)
    assert created.metadata == {}
    again = api.get_or_create_user(identifier=identifier, metadata={"a": 1})
    assert again.id == created.id


def test_a_user_that_is_not_there_is_none(api):
    assert api.get_user(identifier=unique()) is None


def test_an_identifier_can_be_taken_only_once(api):
    identifier = unique("eve")
    api.create_user(identifier=identifier)
    with pytest.raises(Exception, match="identifier"):
        api.create_user(identifier=identifier)


# threads


def test_a_thread_is_upserted_and_keeps_what_is_not_said(api):
    id, identifier = unique("thread"), unique("ada")
    user = api.create_user(identifier=identifier)
    thread = api.upsert_thread(
        id=id, name="one", metadata={"a": 1}, participant_id=user.id, tags=["x"]
    )
    assert (thread.id, thread.name, thread.metadata, thread.tags) == (id, "one", {"a": 1}, ["x"])
    assert (thread.participant_id, thread.participant_identifier) == (user.id, identifier)
    renamed = api.upsert_thread(id=id, name="two")
    assert (renamed.name, renamed.metadata, renamed.tags) == ("two", {"a": 1}, ["x"])
    assert renamed.participant_id == user.id
    read = api.get_thread(id=id)
    assert (read.name, read.steps, read.participant_identifier) == ("two", [], identifier)
    assert read.created_at
    assert api.update_thread(id=id, tags=["y", "z"]).tags == ["y", "z"]
    assert api.delete_thread(id=id) is True
    assert api.get_thread(id=id) is None
    assert api.delete_thread(id=id) is False


def test_create_thread_chooses_an_id(api):
    thread = api.create_thread(name="made", metadata={"a": {"b": [1]}}, tags=["t"])
    assert thread.id and thread.metadata == {"a": {"b": [1]}}
    assert api.get_thread(id=thread.id).name == "made"


def test_a_thread_that_is_not_there_cannot_be_updated(api):
    with pytest.raises(Exception, match="thread"):
        api.update_thread(id=unique(), name="x")


@until("0.0.608")
def test_a_thread_takes_an_environment(api):
    id = unique("thread")
    assert api.upsert_thread(id=id, name="n", environment="staging").name == "n"
    assert api.update_thread(id=id, environment="dev").name == "n"
    created = api.create_thread(name="c", environment="prod")
    found = api.get_thread(id=created.id)
    assert found.name == "c"
    with pytest.raises(Exception, match="environment"):
        api.upsert_thread(id=id, environment="nowhere")


def test_threads_are_paged_by_cursor_newest_first(api):
    tag = unique("tag")
    ids = [api.upsert_thread(id=unique(str(i)), name=f"n{i}", tags=[tag]).id for i in range(5)]
    filters = [{"field": "tags", "operator": "in", "value": [tag]}]
    seen, after = [], None
    for _ in range(3):
        page = api.list_threads(first=2, after=after, filters=filters)
        assert total_of(page) in (5, None)
        seen += [thread["id"] if isinstance(thread, dict) else thread.id for thread in page.data]
        after = page_of(page)["endCursor"]
        if not page_of(page)["hasNextPage"]:
            break
    assert seen == ids[::-1]
    ascending = api.get_threads(
        first=2, filters=filters, order_by={"column": "createdAt", "direction": "ASC"}
    )
    assert [thread.id for thread in ascending.data] == ids[:2]
    assert page_of(ascending)["hasNextPage"] is True
    back = api.get_threads(
        first=2,
        before=page_of(page)["startCursor"],
        filters=filters,
    )
    assert [thread.id for thread in back.data] == [ids[2], ids[1]]


def test_threads_are_filtered(api):
    tag, identifier = unique("tag"), unique("user")
    step = Step(name="answer", type="assistant_message")
    step.id, step.thread_id = unique("step"), unique("thread")
    step.output = {"content": "The Quick fox 100%"}
    step.start_time = step.end_time = later()
    api.send_steps([step])
    user = api.create_user(identifier=identifier)
    api.upsert_thread(
        id=step.thread_id, name="Fox", tags=[tag], participant_id=user.id, metadata={"k": "v"}
    )
    api.upsert_thread(id=unique("other"), tags=[tag])
    api.create_score(step_id=step.id, name="user-feedback", type="HUMAN", value=1)

    def found(field, operator, value, path=None):
        one = {"field": field, "operator": operator, "value": value}
        if path:
            one["path"] = path
        page = api.get_threads(filters=[{"field": "tags", "operator": "in", "value": [tag]}, one])
        return [thread.id for thread in page.data] == [step.thread_id]

    assert found("participantId", "eq", user.id)
    assert found("participantIdentifiers", "in", [identifier])
    assert found("stepOutput", "ilike", "quick FOX", "content")
    assert found("stepOutput", "ilike", "100%", "content")
    assert not found("stepOutput", "ilike", "quick%dog", "content")
    assert found("scoreValue", "eq", 1, "user-feedback")
    assert not found("scoreValue", "eq", 0, "user-feedback")
    assert found("stepType", "in", ["assistant_message"])
    assert found("stepName", "eq", "answer")
    assert found("name", "ilike", "fox")
    assert found("metadata", "eq", "v", "k")
    assert not found("createdAt", "gt", later(60_000))
    with pytest.raises(Exception, match="nothing"):
        api.get_threads(filters=[{"field": "nothing", "operator": "eq", "value": 1}])


# steps


def test_steps_are_sent_in_a_batch_whatever_their_order(api):
    thread_id = unique("thread")
    parent, child = Step(name="agent", type="run"), Step(name="look up", type="tool")
    for index, step in enumerate([parent, child]):
        step.id, step.thread_id = unique("step"), thread_id
        step.start_time, step.end_time = later(index), later(10)
    child.parent_id = parent.id
    child.input, child.output = {"q": "ü😀"}, {"content": ["a", {"b": None}]}
    child.metadata, child.tags = {"deep": {"er": 1.5}}, ["t1", "t2"]
    answer = api.send_steps([child, parent])
    assert answer["data"] == {
        "step0": {"ok": True, "message": None},
        "step1": {"ok": True, "message": None},
    }
    read = api.get_step(id=child.id)
    assert (read.id, read.name, read.type) == (child.id, "look up", "tool")
    assert (read.thread_id, read.parent_id) == (thread_id, parent.id)
    assert read.input == {"q": "ü😀"} and read.output == {"content": ["a", {"b": None}]}
    assert read.metadata == {"deep": {"er": 1.5}} and read.tags == ["t1", "t2"]
    assert read.created_at and read.error is None
    moment = datetime.fromisoformat(read.start_time.replace("Z", "+00:00"))
    assert moment == datetime.fromisoformat(child.start_time.replace("Z", "+00:00"))
    assert [step.id for step in api.get_thread(id=thread_id).steps] == [parent.id, child.id]
    assert api.delete_step(id=child.id) is True
    assert api.get_step(id=child.id) is None
    assert api.delete_step(id=child.id) is False


def test_a_step_that_is_sent_again_keeps_what_is_not_said(api):
    id, thread_id = unique("step"), unique("thread")
    api.send_steps([{"id": id, "threadId": thread_id, "name": "n", "type": "tool", "tags": ["a"]}])
    attachment = {"id": unique("a"), "name": "f", "mime": None, "url": None, "objectKey": None}
    api.send_steps([{"id": id, "threadId": thread_id, "attachments": [attachment]}])
    read = api.get_step(id=id)
    assert (read.name, read.type, read.tags) == ("n", "tool", ["a"])
    assert [one.name for one in read.attachments] == ["f"]
    api.send_steps([read])
    again = api.get_step(id=id)
    assert again.to_dict()["attachments"] == read.to_dict()["attachments"]
    assert (again.name, again.type, again.tags) == ("n", "tool", ["a"])


def test_steps_can_be_created_and_updated_by_themselves(api):
    thread_id = unique("thread")
    created = api.create_step(
        thread_id=thread_id,
        name="made",
        type="retrieval",
        start_time=later(),
        input={"content": "in"},
        output={"content": "out"},
        metadata={"m": 1},
        tags=["t"],
    )
    assert created.id and created.type == "retrieval" and created.thread_id == thread_id
    updated = api.update_step(id=created.id, metadata={"m": 2})
    assert updated.metadata == {"m": 2} and updated.name == "made" and updated.type == "retrieval"
    assert updated.input == {"content": "in"} and updated.output == {"content": "out"}
    assert updated.start_time == created.start_time and updated.tags == ["t"]
    with pytest.raises(Exception, match="step"):
        api.update_step(id=unique(), name="x")


@since("0.0.607")
def test_steps_are_listed_and_filtered(api):
    thread_id = unique("thread")
    api.send_steps(
        [
            {"id": unique(str(i)), "threadId": thread_id, "name": f"s{i}", "type": "tool"}
            for i in range(3)
        ]
    )
    filters = [{"field": "threadId", "operator": "eq", "value": thread_id}]
    page = api.get_steps(first=2, filters=filters)
    assert [step.name for step in page.data] == ["s2", "s1"] and total_of(page) == 3
    rest = api.get_steps(first=2, after=page_of(page)["endCursor"], filters=filters)
    assert [step.name for step in rest.data] == ["s0"] and page_of(rest)["hasNextPage"] is False
    oldest = api.get_steps(
        first=1, filters=filters, order_by={"column": "createdAt", "direction": "ASC"}
    )
    assert oldest.data[0].name == "s0"
    both = api.get_steps(filters=filters + [{"field": "name", "operator": "eq", "value": "s1"}])
    assert [step.name for step in both.data] == ["s1"]


def test_one_bad_step_of_a_batch_raises_and_the_good_one_is_stored(api):
    good, bad = unique("good"), unique("bad")
    score = {"id": unique(), "name": "n", "type": "HUMAN", "value": 1, "tags": []}
    with pytest.raises(Exception, match="type|scores|NOTHING|value"):
        api.send_steps(
            [
                {"id": good, "name": "g", "type": "tool"},
                {"id": bad, "type": "tool", "scores": [{**score, "type": "NOTHING"}]},
            ]
        )
    assert api.get_step(id=bad) is None


# recording


def test_context_managers_and_decorators_record_a_tree(client, api):
    thread_id, tag = unique("thread"), unique("tag")

    @client.step(type="tool", name="look up")
    def look_up(word):
        client.get_current_step().tags = [tag]
        return {"found": word}

    @client.run(name="agent")
    def agent(question):
        with client.step(type="llm", name="model") as step:
            step.generation = ChatGeneration(
                provider="openai",
                model="gpt-4o",
                messages=[{"role": "user", "content": question}],
                message_completion={"role": "assistant", "content": "42"},
                settings={"temperature": 0},
                input_token_count=3,
                output_token_count=1,
                token_count=4,
                duration=0.5,
            )
            step.output = {"content": "42"}
        client.message("hello", type="user_message", name="user")
        return look_up("order")["found"]

    with client.thread(thread_id=thread_id, name="talk") as thread:
        thread.tags = [tag]
        assert agent("why?") == "order"
        assert client.get_current_thread().id == thread_id
    delivered(client)
    read = api.get_thread(id=thread_id)
    assert read.name == "talk"
    by_name = {step.name: step for step in read.steps}
    assert set(by_name) == {"agent", "model", "user", "look up"}
    run = by_name["agent"]
    assert run.type == "run" and run.output == {"content": "order"}
    assert run.input["args"] == ["why?"] if "args" in run.input else run.input == {"question": "why?"}
    for name in ["model", "user", "look up"]:
        assert by_name[name].parent_id == run.id
    assert by_name["look up"].output == {"found": "order"} and by_name["look up"].tags == [tag]
    message = by_name["user"]
    assert message.type == "user_message" and message.output == {"content": "hello"}
    generation = by_name["model"].generation
    assert isinstance(generation, ChatGeneration)
    assert generation.model == "gpt-4o" and generation.provider == "openai"
    assert generation.message_completion["content"] == "42"
    assert (generation.token_count, generation.input_token_count) == (4, 3)
    assert generation.settings == {"temperature": 0} and generation.duration == 0.5


def test_coroutines_are_recorded_too(client, api, loop):
    thread_id = unique("thread")

    @client.step(type="tool")
    async def inner(value):
        return value

    async def outer():
        async with client.thread(thread_id=thread_id, name="awaited"):
            async with client.step(type="run", name="outer") as step:
                step.input = {"n": 1}
                await inner({"answer": 42})

    loop.run_until_complete(outer())
    delivered(client)
    steps = api.get_thread(id=thread_id).steps
    assert [(step.name, step.type) for step in steps] == [("outer", "run"), ("inner", "tool")]
    assert steps[1].parent_id == steps[0].id and steps[1].output == {"answer": 42}
    assert steps[0].input == {"n": 1}


@since("0.0.607")
def test_an_error_is_recorded_and_raised(client, api):
    thread_id, id = unique("thread"), unique("step")
    with pytest.raises(ValueError, match="no luck"):
        with client.step(type="tool", name="broken", id=id, thread_id=thread_id):
            raise ValueError("no luck")
    delivered(client)
    assert api.get_step(id=id).error == "no luck"


def test_start_step_and_end(client, api):
    id = unique("step")
    step = client.start_step(name="by hand", type="tool", id=id, thread_id=unique())
    step.input = {"a": 1}
    step.end()
    delivered(client)
    read = api.get_step(id=id)
    assert read.name == "by hand" and read.input == {"a": 1}
    assert read.start_time and read.end_time and read.start_time <= read.end_time


def test_flush_empties_the_queue(client, loop):
    client.message("x", thread_id=unique())
    result = client.flush()
    if result is not None:
        loop.run_until_complete(result)
    assert client.event_processor.event_queue.empty()


@since("0.0.622")
def test_the_environment_of_a_client_is_that_of_its_steps(loop):
    client = LiteralClient(api_key=API_KEY, url=API_URL, environment="staging")
    id = unique("step")
    client.api.send_steps([{"id": id, "type": "run", "name": "s"}])
    assert client.api.get_step(id=id).environment == "staging"
    with pytest.raises(Exception, match="x-env"):
        os.environ["LITERAL_ENV"] = "nowhere"
        client.api.get_step(id=id)
    client.event_processor.flush_and_stop()


@since("0.0.625")
def test_nested_runs_name_their_root(client, api):
    thread_id = unique("thread")
    with client.thread(thread_id=thread_id):
        with client.run(name="outer") as outer:
            with client.step(name="middle", type="tool"):
                with client.run(name="inner"):
                    pass
    delivered(client)
    # The client selects the field and forgets it.
    answer = api.make_gql_call(
        "read the thread",
        "query($id: String!) { threadDetail(id: $id) { steps { name rootRunId } } }",
        {"id": thread_id},
    )
    roots = {step["name"]: step["rootRunId"] for step in answer["data"]["threadDetail"]["steps"]}
    assert roots == {"outer": None, "middle": outer.id, "inner": outer.id}


# generations


def test_a_generation_is_created_and_listed_first(api):
    generation = ChatGeneration(
        provider="anthropic",
        model="claude",
        messages=[{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        message_completion={"role": "assistant", "content": "a"},
        tools=[{"type": "function", "function": {"name": "f"}}],
        token_count=10,
        tags=[unique("tag")],
    )
    created = api.create_generation(generation)
    assert created.id
    newest = api.get_generations(first=1, order_by={"column": "createdAt", "direction": "DESC"})
    [first] = newest.data
    assert isinstance(first, ChatGeneration) and first.id == created.id
    assert first.messages[1]["content"] == "u" and first.message_completion["content"] == "a"
    assert first.tools == [{"type": "function", "function": {"name": "f"}}]
    assert first.token_count == 10 and first.model == "claude"
    found = api.get_generations(
        filters=[{"field": "tags", "operator": "in", "value": generation.tags}]
    )
    assert [one.id for one in found.data] == [created.id] and total_of(found) in (1, None)
    assert api.get_generations(
        filters=[
            {"field": "model", "operator": "eq", "value": "claude"},
            {"field": "tokenCount", "operator": "gt", "value": 10},
        ]
    ).data == []


def record_by_another_client(step):
    """Records a step as clients do that write values this one has no types for."""
    request = urllib.request.Request(
        f"{API_URL}/api/graphql",
        json.dumps(
            {
                "query": """mutation(
                  $id: String!, $threadId: String, $generation: GenerationPayloadInput, $scores: [ScorePayloadInput!]
                ) {
                  ingestStep(
                    id: $id, threadId: $threadId, type: llm, generation: $generation, scores: $scores
                  ) { ok message }
                }""",
                "variables": step,
            }
        ).encode(),
        {"content-type": "application/json", "x-api-key": API_KEY},
    )
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer) == {"data": {"ingestStep": {"ok": True, "message": None}}}


def test_what_another_client_recorded_can_be_read(api):
    id, thread_id = unique("step"), unique("thread")
    image = {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}}
    record_by_another_client(
        {
            "id": id,
            "threadId": thread_id,
            "generation": {
                "messages": [
                    {"role": "developer", "content": "Be brief."},
                    {"role": "user", "content": [image, {"type": "input_audio", "input_audio": {}}]},
                ],
                "messageCompletion": {"role": "model", "content": [{"type": "thinking", "thinking": "Hm."}]},
                "tools": ["search"],
            },
            "scores": [{"name": "brief", "type": "CODE", "value": 1}],
        }
    )
    [step] = api.get_thread(id=thread_id).steps
    [listed] = api.get_generations(filters=[{"field": "id", "operator": "eq", "value": id}]).data
    for generation in (step.generation, listed):
        first, second = generation.messages
        assert (first["role"], first["content"]) == ("system", "Be brief.")
        assert second["content"][1] == {"type": "text", "text": '{"type":"input_audio","input_audio":{}}'}
        assert generation.message_completion["role"] == "assistant"
        assert generation.tools == [{"value": "search"}]
    assert [score.name for score in step.scores] == ["brief"]
    [score] = [one for one in api.get_scores(first=100).data if one.step_id == id]
    assert score.type in ("AI", "CODE")


def test_a_completion_is_another_kind_of_generation(api):
    generation = CompletionGeneration(
        provider="openai", model="davinci", prompt="Once", completion=" upon", tags=[unique()]
    )
    created = api.create_generation(generation)
    [read] = api.get_generations(
        filters=[{"field": "id", "operator": "eq", "value": created.id}]
    ).data
    assert isinstance(read, CompletionGeneration)
    assert (read.prompt, read.completion) == ("Once", " upon")


# scores


def test_a_score_is_created_changed_listed_and_deleted(api):
    step_id = unique("step")
    api.send_steps([{"id": step_id, "threadId": unique(), "type": "run", "name": "judged"}])
    score = api.create_score(
        step_id=step_id, name="quality", type="AI", value=1, comment="good", tags=["a"]
    )
    assert score.id and (score.name, score.type, score.value) == ("quality", "AI", 1)
    assert (score.step_id, score.comment, score.tags) == (step_id, "good", ["a"])
    changed = api.update_score(id=score.id, update_params={"value": 0})
    assert (changed.value, changed.comment) == (0, "good")
    cleared = api.update_score(id=score.id, update_params={"value": 1, "comment": None})
    assert (cleared.value, cleared.comment) == (1, None)
    [newest] = api.get_scores(
        first=1, order_by={"column": "createdAt", "direction": "DESC"}
    ).data
    assert newest.id == score.id
    [nested] = api.get_step(id=step_id).scores
    assert (nested.id, nested.name, nested.value) == (score.id, "quality", 1)
    found = api.get_scores(filters=[{"field": "id", "operator": "eq", "value": score.id}])
    assert [one.id for one in found.data] == [score.id]
    assert api.delete_score(id=score.id)["id"] == score.id
    assert api.get_step(id=step_id).scores == []
    assert api.delete_score(id=score.id) is None


def test_scores_of_a_step_go_with_it_and_are_stored_once(api):
    step = Step(name="judged", type="run")
    step.id, step.thread_id = unique("step"), unique("thread")
    score = {"id": unique("score"), "name": "s", "type": "HUMAN", "value": 0.5}
    step.scores = [Score.from_dict(score)]
    api.send_steps([step])
    api.send_steps([step])
    read = api.get_step(id=step.id)
    assert [(one.id, one.value) for one in read.scores] == [(score["id"], 0.5)]


def test_a_score_needs_something_to_judge(api):
    with pytest.raises(Exception, match="stepId"):
        api.create_score(name="x", type="HUMAN", value=1)


@since("0.0.607")
def test_scores_are_created_together(api):
    step_id = unique("step")
    api.send_steps([{"id": step_id, "type": "run", "name": "judged"}])
    created = api.create_scores(
        [
            {"name": name, "type": "AI", "value": value, "stepId": step_id, "comment": None}
            for name, value in [("a", 0.25), ("b", 1)]
        ]
    )
    made = [score if isinstance(score, dict) else score.to_dict() for score in created]
    assert [(score["name"], score["value"]) for score in made] == [("a", 0.25), ("b", 1)]
    assert [score.name for score in api.get_step(id=step_id).scores] == ["a", "b"]


# files


def read(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read(), answer.headers


def test_a_file_is_uploaded_and_can_be_read_at_once(api):
    content = os.urandom(2000)
    uploaded = api.upload_file(content=content, thread_id=unique("thread"), mime="image/png")
    assert uploaded["object_key"] and uploaded["url"]
    body, headers = read(uploaded["url"])
    assert body == content and headers["content-type"] == "image/png"
    assert headers["access-control-allow-origin"] == "*"


def test_an_attachment_is_created_read_changed_and_deleted(api, tmp_path):
    step_id, thread_id = unique("step"), unique("thread")
    api.send_steps([{"id": step_id, "threadId": thread_id, "type": "run", "name": "s"}])
    path = tmp_path / "notes.txt"
    path.write_text("Grüße", encoding="utf-8")
    made = api.create_attachment(
        thread_id=thread_id, step_id=step_id, path=str(path), metadata={"a": 1}
    )
    assert made.id and made.name == "notes.txt" and made.mime == "text/plain"
    assert (made.step_id, made.thread_id) == (step_id, thread_id)
    assert made.object_key and made.url
    found = api.get_attachment(id=made.id)
    body, headers = read(found.url)
    assert body.decode() == "Grüße" and headers["content-type"] == "text/plain; charset=utf-8"
    renamed = api.update_attachment(id=made.id, update_params={"name": "new"})
    assert (renamed.name, renamed.metadata, renamed.object_key) == ("new", {"a": 1}, made.object_key)
    assert [one.id for one in api.get_step(id=step_id).attachments] == [made.id]
    api.delete_attachment(id=made.id)
    assert api.get_attachment(id=made.id) is None


def test_an_attachment_elsewhere_keeps_its_url(api):
    step_id, thread_id = unique("step"), unique("thread")
    api.send_steps([{"id": step_id, "threadId": thread_id, "type": "run", "name": "s"}])
    made = api.create_attachment(
        thread_id=thread_id, step_id=step_id, url="https://example.org/a.png", name="a", mime="image/png"
    )
    assert api.get_attachment(id=made.id).url == "https://example.org/a.png"
    assert made.object_key is None


@since("0.0.607")
def test_content_becomes_an_attachment_of_a_step_that_comes_later(api):
    step_id, thread_id = unique("step"), unique("thread")
    made = api.create_attachment(
        thread_id=thread_id, step_id=step_id, content="early", name="e", mime="text/plain"
    )
    assert api.get_thread(id=thread_id) is None
    api.send_steps([{"id": step_id, "threadId": thread_id, "type": "run", "name": "late"}])
    step = api.get_step(id=step_id)
    assert step.name == "late" and [one.id for one in step.attachments] == [made.id]


def test_an_attachment_that_is_not_there_is_none(api):
    assert api.get_attachment(id=unique()) is None


# datasets


def test_a_dataset_and_its_items(api):
    name = unique("dataset")
    dataset = api.create_dataset(name=name, description="d", metadata={"m": 1})
    assert dataset.name == name and dataset.metadata == {"m": 1} and dataset.type == "key_value"
    item = api.create_dataset_item(
        dataset_id=dataset.id, input={"q": "?"}, expected_output={"a": "!"}, metadata={"k": 1}
    )
    assert (item.dataset_id, item.input) == (dataset.id, {"q": "?"})
    assert api.get_dataset_item(id=item.id).expected_output == {"a": "!"}
    second = dataset.create_item({"q": 2})
    read = api.get_dataset(id=dataset.id)
    assert [one["id"] if isinstance(one, dict) else one.id for one in read.items] == [
        item.id,
        second["id"] if isinstance(second, dict) else second.id,
    ]
    updated = api.update_dataset(id=dataset.id, name=name + "2")
    assert (updated.name, updated.description) == (name + "2", "d")
    api.delete_dataset_item(id=item.id)
    assert len(api.get_dataset(id=dataset.id).items) == 1
    api.delete_dataset(id=dataset.id)
    assert api.get_dataset(id=dataset.id) is None


@since("0.0.605")
def test_a_dataset_is_found_by_name(api):
    name = unique("dataset")
    dataset = api.create_dataset(name=name)
    found = api.get_dataset(name=name)
    assert (found.id, found.items, found.metadata) == (dataset.id, [], {})
    assert api.get_dataset(name=unique()) is None


def test_a_step_becomes_an_item_with_what_happened_in_between(api):
    parent, child, thread_id = unique("p"), unique("c"), unique("t")
    api.send_steps(
        [
            {"id": child, "parentId": parent, "threadId": thread_id, "name": "c", "type": "tool",
             "output": {"content": "between"}},
            {"id": parent, "threadId": thread_id, "name": "p", "type": "run",
             "input": {"content": "in"}, "output": {"content": "out"}},
        ]
    )
    dataset = api.create_dataset(name=unique("dataset"))
    item = api.add_step_to_dataset(dataset.id, parent, metadata={"k": "v"})
    assert (item.input, item.expected_output) == ({"content": "in"}, {"content": "out"})
    assert item.metadata["k"] == "v"
    [between] = item.intermediary_steps
    assert (between["name"], between["output"]) == ("c", {"content": "between"})


def test_a_generation_becomes_an_item(api):
    completion = {"role": "assistant", "content": "a"}
    generation = api.create_generation(
        ChatGeneration(
            messages=[{"role": "user", "content": "u"}],
            message_completion=completion,
            variables={"v": 1},
        )
    )
    dataset = api.create_dataset(name=unique("dataset"), type="generation")
    item = api.add_generation_to_dataset(dataset.id, generation.id)
    assert item.input["messages"][0]["content"] == "u"
    assert item.expected_output == completion
    assert item.metadata["promptType"] == "CHAT" and item.metadata["variables"] == {"v": 1}
    with pytest.raises(ValueError):
        dataset.add_step("whatever")


# experiments


@since("0.0.605")
def test_an_experiment_and_what_came_out(api):
    dataset = api.create_dataset(name=unique("dataset"))
    item = api.create_dataset_item(dataset_id=dataset.id, input={"q": 1})
    experiment = api.create_experiment(
        dataset_id=dataset.id, name="x", params={"temperature": 0}
    )
    assert experiment.id and experiment.name == "x" and experiment.dataset_id == dataset.id
    assert experiment.params == {"temperature": 0}
    logged = experiment.log(
        {
            "datasetItemId": item.id,
            "input": {"q": 1},
            "output": {"a": 2},
            "scores": [{"name": "hit", "type": "AI", "value": 1}],
        }
    )
    assert logged.id and logged.output == {"a": 2} and logged.dataset_item_id in (item.id, "")
    [score] = [one if isinstance(one, dict) else one.to_dict() for one in logged.scores]
    assert (score["name"], score["value"]) == ("hit", 1)
    found = api.get_scores(filters=[{"field": "id", "operator": "eq", "value": score["id"]}])
    assert found.data[0].dataset_experiment_item_id == logged.id


@since("0.0.625")
def test_what_runs_in_an_experiment_is_in_that_environment(client, api):
    experiment = api.create_experiment(name="without a dataset")
    assert experiment.params is None

    @client.step(type="tool", name="inside")
    def inside():
        return client.get_current_step().id

    with client.experiment_item_run() as run:
        id = inside()
        logged = experiment.log({"input": {"a": 1}, "output": {}, "scores": [
            {"name": "n", "type": "AI", "value": 0}
        ]})
        run_id = run.id
    delivered(client)
    assert logged.experiment_run_id == run_id
    assert api.get_step(id=run_id).environment == "experiment"
    assert api.get_step(id=id).environment == "experiment"


# prompts

TEMPLATE = [
    {"role": "system", "content": "You help {{shop}}."},
    {"role": "user", "content": "{{#items}}\n* {{.}}\n{{/items}}"},
]


def test_a_prompt_is_created_read_and_formatted(api):
    name = unique("prompt")
    created = api.create_prompt(
        name=name, template_messages=TEMPLATE, settings={"provider": "openai", "model": "gpt-4o"}
    )
    assert created.id and created.version == 0
    assert api.create_prompt_lineage(name, "d")["name"] == name
    prompt = api.get_prompt(name=name)
    assert (prompt.id, prompt.name, prompt.version) == (created.id, name, 0)
    assert prompt.provider == "openai" and prompt.settings == {"model": "gpt-4o"}
    assert [(one["name"], one["language"]) for one in prompt.variables] == [
        ("shop", "plaintext"),
        ("items", "json"),
    ]
    system, user = (
        prompt.format_messages(shop="Ada and co", items=["a", "b"])
        if hasattr(prompt, "format_messages")
        else prompt.format({"shop": "Ada and co", "items": ["a", "b"]})
    )
    assert system["content"] == "You help Ada and co." and user["content"] == "* a\n* b\n"
    assert system["role"] == "system"
    second = api.create_prompt(name=name, template_messages=TEMPLATE[:1])
    assert second.version == 1
    assert api.get_prompt(name=name, version=1).id == second.id
    assert api.get_prompt(name=name).version == 0


@since("0.0.607")
def test_the_same_prompt_is_made_once_and_found_by_its_id(api):
    name = unique("prompt")
    settings = {"provider": "openai", "model": "gpt-4o", "temperature": 0.5}
    tools = [{"type": "function", "function": {"name": "f"}}]
    first = api.get_or_create_prompt(name=name, template_messages=TEMPLATE, settings=settings, tools=tools)
    read = api.get_prompt(id=first.id)
    assert (read.id, read.tools) == (first.id, tools)
    again = api.get_or_create_prompt(
        name=name, template_messages=read.template_messages, settings=read.settings, tools=read.tools
    )
    assert (again.id, again.version) == (first.id, 0)


@since("0.0.603")
@until("0.0.608")
def test_a_promoted_version_is_the_one_that_is_read(api):
    name = unique("prompt")
    first = api.get_or_create_prompt(name=name, template_messages=TEMPLATE[:1])
    second = api.get_or_create_prompt(name=name, template_messages=TEMPLATE[1:])
    assert api.get_prompt(name=name).id == first.id
    assert api.promote_prompt(name=name, version=1) == second.id
    assert api.get_prompt(name=name).id == second.id


@since("0.0.625")
def test_the_calls_of_a_prompt_are_split(api):
    name = unique("prompt")
    api.get_or_create_prompt(name=name, template_messages=TEMPLATE[:1])
    api.get_or_create_prompt(name=name, template_messages=TEMPLATE[1:])
    assert api.get_prompt_ab_testing(name=name) == [{"version": 0, "rollout": 100}]
    split = [{"version": 0, "rollout": 60}, {"version": 1, "rollout": 40}]
    api.update_prompt_ab_testing(name=name, rollouts=split)
    assert sorted(api.get_prompt_ab_testing(name=name), key=lambda one: one["version"]) == split
    with pytest.raises(Exception, match="version"):
        api.update_prompt_ab_testing(name=name, rollouts=[{"version": 9, "rollout": 100}])


@since("0.1.0")
def test_a_variant_can_be_tried_in_an_experiment(api):
    variant = api.create_prompt_variant(unique("prompt"), TEMPLATE)
    assert variant
    experiment = api.create_experiment(name="variant", prompt_variant_id=variant)
    assert experiment.prompt_variant_id == variant


# the project


@since("0.0.607")
def test_the_project_has_an_id(api):
    assert len(api.get_my_project_id()) > 0


def test_a_wrong_key_fails_and_never_gives_empty_data(flavour, loop):
    stranger = flavour(api_key="wrong", url=API_URL)
    api = Blocking(stranger.api, loop)
    with pytest.raises(Exception, match="API key"):
        api.get_threads()
    with pytest.raises(Exception):
        api.get_dataset(id="x")
    uploaded = api.upload_file(content="x", thread_id="t")
    assert uploaded == {"object_key": None, "url": None}
    stranger.event_processor.flush_and_stop()


def test_a_base_url_may_end_with_a_slash(flavour, loop):
    slashed = flavour(api_key=API_KEY, url=API_URL + "/")
    assert Blocking(slashed.api, loop).get_user(identifier=unique()) is None
    slashed.event_processor.flush_and_stop()
