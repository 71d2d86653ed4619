"""Drives Chainlit's own data layer for Literal AI, unmodified, as its server does for a chat."""

import inspect
import json
import urllib.request
import uuid

import pytest
from conftest import API_KEY, API_URL, Blocking

import chainlit as cl
from chainlit.context import context_var, init_http_context
from chainlit.data.literalai import LiteralDataLayer
from chainlit.types import Feedback, Pagination, ThreadFilter


def unique(word="x"):
    return f"{word}-{uuid.uuid4()}"


@pytest.fixture
def layer(loop):
    parameters = inspect.signature(LiteralDataLayer.__init__).parameters
    assert list(parameters)[1:] == ["api_key", "server"]
    layer = LiteralDataLayer(api_key=API_KEY, server=API_URL)

    async def in_the_loop():
        return init_http_context()

    context_var.set(loop.run_until_complete(in_the_loop()))
    yield Blocking(layer, loop)
    layer.client.event_processor.flush_and_stop()


@pytest.fixture
def user(layer):
    return layer.create_user(cl.User(identifier=unique("ada"), metadata={"role": "admin"}))


def rows(page):
    """The threads of a page; Chainlit 1 hands on the client's objects."""
    return [row if isinstance(row, dict) else row.to_dict() for row in page.data]


def ids(page):
    return [row["id"] for row in rows(page)]


def in_thread(element, thread_id):
    """An element of a thread; Chainlit 1 takes the thread of the session, whatever it is told."""
    element.thread_id = thread_id
    return element


def message(thread_id, content, type, **more):
    """A step as Chainlit gives it to its data layer."""
    moment = "2026-01-01T00:00:00.000000Z"
    return {
        "id": str(uuid.uuid4()),
        "threadId": thread_id,
        "name": "ada",
        "type": type,
        "input": "",
        "output": content,
        "createdAt": moment,
        "start": moment,
        "end": moment,
        "parentId": None,
        "streaming": False,
        "isError": False,
        "waitForAnswer": False,
        "language": None,
        "showInput": None,
        "metadata": {},
        **more,
    }


@pytest.fixture
def thread_id(layer, user):
    """A conversation of one turn, stored in the order in which Chainlit stores it."""
    thread_id = str(uuid.uuid4())
    layer.update_thread(thread_id=thread_id, name="Where is it?", user_id=user.id, tags=["chat"])
    layer.create_step(message(thread_id, "Where is it?", "user_message"))
    layer.create_step(message(thread_id, "On its way.", "assistant_message", start="2026-01-01T00:00:01Z"))
    return thread_id


def steps_of(layer, thread_id):
    return layer.get_thread(thread_id)["steps"]


def test_a_user_is_created_once_and_signing_in_again_changes_the_metadata(layer, user):
    assert user.id and user.metadata == {"role": "admin"}
    found = layer.get_user(user.identifier)
    assert (found.id, found.metadata) == (user.id, {"role": "admin"}) and found.createdAt
    again = layer.create_user(cl.User(identifier=user.identifier, metadata={"role": "user"}))
    assert again.id == user.id
    assert layer.get_user(user.identifier).metadata == {"role": "user"}
    assert layer.get_user(unique("nobody")) is None


def test_a_conversation_is_resumed_as_it_was(layer, user, thread_id):
    thread = layer.get_thread(thread_id)
    assert (thread["id"], thread["name"], thread["tags"]) == (thread_id, "Where is it?", ["chat"])
    assert (thread["userId"], thread["userIdentifier"]) == (user.id, user.identifier)
    assert thread["createdAt"]
    assert [(step["type"], step["output"]) for step in thread["steps"]] == [
        ("user_message", "Where is it?"),
        ("assistant_message", "On its way."),
    ]
    for step in thread["steps"]:
        assert step["threadId"] == thread_id and step["feedback"] is None
        assert step["isError"] is False and step["waitForAnswer"] is False
    assert layer.get_thread_author(thread_id) == user.identifier
    assert layer.get_thread(unique()) is None
    assert layer.get_thread_author(unique()) == ""


def test_a_step_is_updated_by_being_sent_again(layer, thread_id):
    step = message(thread_id, "", "tool", name="look up", input="order", start="2026-01-01T00:00:02Z")
    layer.create_step(step)
    layer.update_step({**step, "output": "found", "isError": True, "language": "json", "showInput": "json"})
    read = next(one for one in steps_of(layer, thread_id) if one["id"] == step["id"])
    assert read["name"] == "look up" and read["isError"] is True
    if "input" in read and read["input"]:
        assert (read["input"], read["output"], read["language"]) == ("order", "found", "json")
    layer.delete_step(step["id"])
    assert step["id"] not in [one["id"] for one in steps_of(layer, thread_id)]
    layer.delete_step(step["id"])


def test_feedback_is_given_changed_filtered_by_and_taken_back(layer, user, thread_id):
    answer = steps_of(layer, thread_id)[1]["id"]

    def feedback():
        return steps_of(layer, thread_id)[1]["feedback"]

    def listed(value):
        page = layer.list_threads(
            Pagination(first=10), ThreadFilter(userId=user.id, feedback=value)
        )
        return ids(page)

    id = layer.upsert_feedback(Feedback(forId=answer, value=1, threadId=thread_id, comment="good"))
    assert id and feedback() == {"id": id, "forId": answer, "value": 1, "comment": "good"} or (
        feedback()["id"] == id and feedback()["value"] == 1 and feedback()["comment"] == "good"
    )
    assert listed(1) == [thread_id] and listed(0) == []
    assert layer.upsert_feedback(
        Feedback(id=id, forId=answer, value=0, threadId=thread_id, comment=None)
    ) == id
    assert feedback()["value"] == 0 and feedback()["comment"] is None
    assert listed(0) == [thread_id] and listed(1) == []
    assert layer.delete_feedback(id) is True
    assert feedback() is None


def test_elements_with_files_come_back_with_urls_that_pages_can_read(layer, thread_id, tmp_path):
    answer = steps_of(layer, thread_id)[1]["id"]
    path = tmp_path / "report.pdf"
    path.write_bytes(b"%PDF-1.4 small")
    elements = [
        cl.Text(name="notes", content="Grüße", for_id=answer, display="inline"),
        cl.Pdf(name="report", path=str(path), for_id=answer, page=2),
        cl.Image(name="logo", url="https://example.org/logo.png", for_id=answer),
        cl.File(name="raw", content=b"\x00\x01", for_id=answer),
    ]
    for element in elements:
        in_thread(element, thread_id)
        if element.mime is None and element.name == "report":
            element.mime = "application/pdf"
        layer.create_element(element)
    thread = layer.get_thread(thread_id)
    by_name = {element["name"]: element for element in thread["elements"]}
    assert set(by_name) == {"notes", "report", "logo", "raw"}
    for element in elements:
        read = by_name[element.name]
        assert (read["id"], read["forId"]) == (element.id, answer)
        # The client of Chainlit 1 does not ask for the thread of a step's attachment.
        assert read["threadId"] in (thread_id, None)
        assert (read["type"], read["display"]) == (element.type, element.display)
        alone = layer.get_element(thread_id, element.id)
        assert alone["threadId"] == thread_id and alone["url"]
        passing = {"url": None, "threadId": None}
        assert {**alone, **passing} == {**read, **passing}
    assert by_name["report"]["page"] == 2
    assert by_name["logo"]["url"] == "https://example.org/logo.png"

    def fetched(name):
        request = urllib.request.Request(by_name[name]["url"], headers={"origin": "https://chat.test"})
        with urllib.request.urlopen(request) as response:
            assert response.headers["access-control-allow-origin"] == "*"
            return response.headers["content-type"], response.read()

    type, body = fetched("notes")
    assert body.decode() == "Grüße"
    # Some versions name no type for a text; pages read it as UTF-8 then by themselves.
    assert type.lower() in ("text/plain; charset=utf-8", "application/octet-stream")
    assert fetched("report") == ("application/pdf", b"%PDF-1.4 small")
    assert fetched("raw")[1] == b"\x00\x01"
    # The step keeps what it was, though each element was sent as a part of it.
    assert steps_of(layer, thread_id)[1]["output"] == "On its way."
    layer.delete_element(elements[0].id)
    assert layer.get_element(thread_id, elements[0].id) is None
    layer.delete_element(elements[0].id)
    assert len(layer.get_thread(thread_id)["elements"]) == 3


def test_an_element_may_come_before_its_step(layer, user):
    thread_id, step = str(uuid.uuid4()), message("", "later", "assistant_message")
    step["threadId"] = thread_id
    layer.create_element(
        in_thread(cl.Text(name="early", content="x", for_id=step["id"]), thread_id)
    )
    layer.create_step(step)
    thread = layer.get_thread(thread_id)
    assert [one["output"] for one in thread["steps"]] == ["later"]
    assert [one["name"] for one in thread["elements"]] == ["early"]


def test_the_history_is_paged_newest_first_and_searched(layer, user):
    made = []
    for index in range(5):
        id = str(uuid.uuid4())
        layer.update_thread(thread_id=id, name=f"chat {index}", user_id=user.id)
        layer.create_step(message(id, f"Answer {index} of 100%", "assistant_message"))
        made.append(id)
    seen, cursor = [], None
    while True:
        page = layer.list_threads(
            Pagination(first=2, cursor=cursor), ThreadFilter(userId=user.id)
        )
        seen += ids(page)
        cursor = page.pageInfo.endCursor
        if not page.pageInfo.hasNextPage:
            break
        assert len(page.data) == 2 and cursor
    assert seen == made[::-1]
    [first] = rows(page)
    assert first["name"] == "chat 0" and first["createdAt"]
    # What the page of the server sends to the browser.
    json.dumps(page.to_dict())
    found = layer.list_threads(
        Pagination(first=10), ThreadFilter(userId=user.id, search="answer 3 OF 100%")
    )
    assert ids(found) == [made[3]]
    none = layer.list_threads(Pagination(first=10), ThreadFilter(userId=unique("nobody")))
    assert none.data == [] and none.pageInfo.hasNextPage is False


def test_a_thread_is_renamed_and_its_metadata_and_user_stay(layer, user, thread_id):
    layer.update_thread(thread_id=thread_id, metadata={"chat_profile": "fast", "is_shared": True})
    layer.update_thread(thread_id=thread_id, name="Renamed")
    # The state of the session at its end.
    layer.update_thread(thread_id=thread_id, metadata={"id": "session", "chat_settings": {"t": 1}})
    thread = layer.get_thread(thread_id)
    assert thread["name"] == "Renamed" and thread["userId"] == user.id
    assert thread["metadata"] == {
        "chat_profile": "fast",
        "is_shared": True,
        "id": "session",
        "chat_settings": {"t": 1},
    }
    assert len(thread["steps"]) == 2


def test_a_deleted_thread_is_gone_with_all_that_is_in_it(layer, user, thread_id):
    answer = steps_of(layer, thread_id)[1]["id"]
    element = in_thread(cl.Text(name="notes", content="x", for_id=answer), thread_id)
    layer.create_element(element)
    layer.delete_thread(thread_id)
    assert layer.get_thread(thread_id) is None
    assert layer.get_element(thread_id, element.id) is None
    assert layer.list_threads(Pagination(first=10), ThreadFilter(userId=user.id)).data == []
    layer.delete_thread(thread_id)


def test_the_debug_url_names_the_project(layer):
    assert layer.build_debug_url().startswith(f"{API_URL}/projects/")
