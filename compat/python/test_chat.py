"""Runs an application of Chainlit (`chat.py`) as its users do, and does what the page of a browser does with it."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import uuid
from datetime import datetime
from importlib.metadata import version

import httpx
import pytest
import socketio
from chat import PIXEL, REPORT
from conftest import API_KEY, API_URL, parse

CHAINLIT = parse(version("chainlit"))
# Far more than anything here takes; what is waited for is a condition.
PATIENCE_SECONDS = 60
QUESTION = "Where is it? <b>&amp;</b> Größe 🚚"


def eventually(find, what):
    """Returns the first true result: what the application stores, it stores after it has answered."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := find()):
        assert time.monotonic() < deadline, f"{what} did not come about"
        time.sleep(0.05)
    return found


def moment(text):
    return text and datetime.fromisoformat(text.replace("Z", "+00:00"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def application(tmp_path_factory):
    """Where the application is served; all files that Chainlit makes go to a folder that is thrown away."""
    root = tmp_path_factory.mktemp("chat")
    url = f"http://127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "chainlit", "run", os.path.abspath("chat.py"), "--headless", "--ci"]
    with open(root / "log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", url.rpartition(":")[2]],
            cwd=root,
            env={**os.environ, "CHAINLIT_APP_ROOT": str(root), "CHAINLIT_AUTH_SECRET": "of a test, thirty-two bytes long"},
            stdout=log,
            stderr=subprocess.STDOUT,
        )

        def said():
            log.seek(0)
            return log.read()

        def answers():
            assert process.poll() is None, said()
            try:
                return httpx.get(f"{url}/auth/config").status_code == 200
            except httpx.TransportError:
                return False

        try:
            eventually(answers, "an answer of the application")
            yield url
            # Chainlit goes on where its data layer fails, and only says so.
            asked = [line for line in said().splitlines() if "HTTP Request: " in line]
            assert asked and [line for line in asked if not line.endswith('200 OK"')] == []
            assert re.findall("Error (?:updating|creating|while flushing)|Failed to|never retrieved", said()) == []
        finally:
            # It would wait for pages that are left open.
            process.kill()
            process.wait()


def handle_in_order(io):
    """Lets the socket handle a message before it reads the next one, as a browser does; it starts a thread for each."""
    start = io.eio.start_background_task

    def start_or_handle(target, *args, **kwargs):
        return target(*args) if target == io.eio.handlers["message"] else start(target, *args, **kwargs)

    io.eio.start_background_task = start_or_handle


class Page:
    """What the page of a browser holds: who is signed in, and what the application sent it."""

    def __init__(self, url, username):
        self.http = httpx.Client(base_url=url, timeout=PATIENCE_SECONDS)
        self.username = username
        self.sockets = []
        self.sign_in()

    def sign_in(self):
        answer = self.http.post("/login", data={"username": self.username, "password": "open"})
        assert answer.status_code == 200
        # Chainlit 1 hands out a token, Chainlit 2 sets a cookie.
        if CHAINLIT < (2,):
            self.http.headers["authorization"] = f"Bearer {answer.json()['access_token']}"

    def open(self, thread_id=""):
        """Opens a chat, or resumes the one of a thread."""
        self.session_id, self.thread_id = str(uuid.uuid4()), thread_id
        self.messages, self.elements, self.resumed = {}, [], []
        io = socketio.Client(reconnection=False)
        handle_in_order(io)
        self.sockets.append(io)
        io.on("first_interaction", lambda event: setattr(self, "thread_id", event["thread_id"]))
        io.on("new_message", self.show)
        io.on("update_message", self.show)
        io.on("delete_message", lambda message: self.messages.pop(message["id"], None))
        io.on("element", self.elements.append)
        io.on("resume_thread", self.resumed.append)
        if CHAINLIT < (2,):
            session = None
            headers = {
                "authorization": self.http.headers["authorization"],
                "x-chainlit-session-id": self.session_id,
                "x-chainlit-thread-id": thread_id,
                "x-chainlit-client-type": "webapp",
                "user-env": "{}",
            }
        else:
            session = {
                "sessionId": self.session_id,
                "threadId": thread_id,
                "clientType": "webapp",
                "userEnv": "{}",
                "chatProfile": "",
            }
            headers = {"cookie": "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())}
        io.connect(
            str(self.http.base_url),
            headers,
            session,
            transports=["websocket"],
            socketio_path="/ws/socket.io",
            wait_timeout=PATIENCE_SECONDS,
        )
        io.emit("connection_successful")

    def show(self, message):
        self.messages[message["id"]] = message

    def shown(self):
        return [message["output"] for message in self.messages.values() if "message" in message["type"]]

    def ask(self, text, files=()):
        """Sends a message, and waits until the application has answered it."""
        ended = threading.Event()
        self.sockets[-1].on("task_end", lambda *_: ended.set())
        message = {
            "id": str(uuid.uuid4()),
            "threadId": self.thread_id,
            "name": self.username,
            "type": "user_message",
            "output": text,
            "createdAt": "2026-01-01T00:00:00.000Z",
        }
        self.sockets[-1].emit("client_message", {"message": message, "fileReferences": list(files)})
        assert ended.wait(PATIENCE_SECONDS), f"{text} was not answered"
        return message["id"]

    def close(self):
        self.sockets[-1].disconnect()

    def history(self, **filter):
        body = {"pagination": {"first": 20}, "filter": filter}
        answer = self.http.post("/project/threads", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def thread(self):
        """The thread as the page opens it from the history; none as long as the service has not heard of it."""
        answer = self.http.get(f"/project/thread/{self.thread_id}")
        assert answer.status_code in (200, 404), answer.text
        return answer.json() if answer.status_code == 200 else None

    def thread_when(self, condition, what):
        def find():
            thread = self.thread()
            return thread if thread and condition(thread) else None

        return eventually(find, what)


@pytest.fixture
def page(application):
    page = Page(application, f"ada-{uuid.uuid4()}@example.org")
    yield page
    for io in page.sockets:
        io.disconnect()
    page.http.close()


@pytest.fixture
def chat(page):
    """A page with a conversation of one turn, all of which has been stored."""
    page.open()
    eventually(lambda: "Ask me about an order." in page.shown(), "the greeting")
    page.ask(QUESTION)
    eventually(lambda: page.thread_id, "the name of the thread")
    page.stored = page.thread_when(
        lambda thread: {"On its way.", QUESTION, "Ask me about an order."} <= set(outputs(thread))
        and len(thread["elements"]) == 3
        and thread["userIdentifier"]
        and tool(thread)
        and tool(thread)["output"]
        and all(step["end"] for step in thread["steps"] if step["type"] == "run"),
        "the whole turn",
    )
    return page


def outputs(thread):
    return [step["output"] for step in thread["steps"] if "message" in step["type"]]


def tool(thread):
    return next((step for step in thread["steps"] if step["type"] == "tool"), None)


def answered(thread):
    return next(step for step in thread["steps"] if step["output"] == "On its way.")


def graphql(query, **variables):
    """What the service itself has stored."""
    answer = httpx.post(
        f"{API_URL}/api/graphql",
        json={"query": query, "variables": variables},
        headers={"x-api-key": API_KEY},
    ).json()
    assert "errors" not in answer, answer
    return answer["data"]


def test_only_who_has_the_password_gets_in_and_is_a_user_of_the_project_then(application, page):
    refused = httpx.post(f"{application}/login", data={"username": page.username, "password": "shut"})
    assert refused.status_code == 401
    found = graphql(
        "query($identifier: String!) { participant(identifier: $identifier) { identifier metadata } }",
        identifier=page.username,
    )["participant"]
    assert found == {"identifier": page.username, "metadata": {"role": "reader"}}


def test_a_turn_is_stored_as_it_was_shown(chat):
    thread = chat.stored
    assert thread["id"] == chat.thread_id and thread["name"] == QUESTION
    assert thread["userIdentifier"] == chat.username
    # The greeting is kept back until the user says something.
    assert outputs(thread) == ["Ask me about an order.", QUESTION, "On its way."]
    assert set(chat.shown()) >= {"Ask me about an order.", "On its way."}
    step = tool(thread)
    assert (step["name"], step["isError"]) == ("look up", False)
    assert json.loads(step["output"]) == {"state": "sent", "note": "Grüße 🚚"}
    for shown in chat.messages.values():
        stored = next(one for one in thread["steps"] if one["id"] == shown["id"])
        # `createdAt` is when the service heard of it first.
        kept = ("id", "threadId", "parentId", "name", "type", "output", "isError")
        assert [stored[key] for key in kept] == [shown[key] for key in kept]
        # Python writes microseconds that the service leaves out when they are zeros.
        assert [moment(stored[key]) for key in ("start", "end")] == [moment(shown[key]) for key in ("start", "end")]
    [row] = chat.history()
    assert (row["id"], row["name"]) == (chat.thread_id, QUESTION)


def test_the_service_has_the_turn_as_a_thread_of_steps(chat):
    stored = graphql(
        """query($id: String!) { threadDetail(id: $id) { name participant { identifier } stepCount errorCount firstMessage
          steps { id name type output error } } }""",
        id=chat.thread_id,
    )["threadDetail"]
    assert stored["participant"] == {"identifier": chat.username}
    assert {step["id"] for step in stored["steps"]} == {step["id"] for step in chat.stored["steps"]}
    assert stored["stepCount"] == len(stored["steps"]) and stored["errorCount"] == 0
    assert stored["firstMessage"] == QUESTION


def test_a_turn_that_fails_is_stored_with_the_errors_that_were_shown(chat):
    chat.ask("break")
    thread = chat.thread_when(
        lambda thread: {step["type"] for step in failed(thread)} == {"tool", "run"}, "the errors of the tool and of the turn"
    )
    assert {step["output"] for step in failed(thread)} == {"there is no such order"}
    shown = {message["id"] for message in chat.messages.values() if message["isError"]}
    assert shown == {step["id"] for step in failed(thread)}


def failed(thread):
    return [step for step in thread["steps"] if step["isError"]]


def read(element):
    """Fetches a file as a script of the page does, from another origin."""
    answer = httpx.get(element["url"], headers={"origin": "https://chat.test"})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    return answer.headers["content-type"].lower(), answer.headers["content-disposition"], answer.content


def test_elements_of_an_answer_are_read_from_their_urls(chat):
    by_name = {element["name"]: element for element in chat.stored["elements"]}
    assert set(by_name) == {"notes", "map", "report"}
    for element in by_name.values():
        assert element["forId"] == answered(chat.stored)["id"]
    assert [by_name[name]["type"] for name in ("notes", "map", "report")] == ["text", "image", "pdf"]
    # A frame of the page shows the last of them, an image the second; the first is shown by a script.
    assert read(by_name["notes"]) == ("text/plain; charset=utf-8", "inline", "Grüße, 世界".encode())
    assert read(by_name["map"]) == ("image/png", "inline", PIXEL)
    assert read(by_name["report"]) == ("application/pdf", "inline", REPORT)
    alone = chat.http.get(f"/project/thread/{chat.thread_id}/element/{by_name['map']['id']}").json()
    assert (alone["id"], alone["threadId"]) == (by_name["map"]["id"], chat.thread_id)
    assert read(alone) == ("image/png", "inline", PIXEL)


def test_a_file_that_the_user_sends_is_read_back(chat):
    answer = chat.http.post(
        f"/project/file?session_id={chat.session_id}",
        files={"file": ("Übersicht.csv", "größe;1\n".encode(), "text/csv")},
    )
    assert answer.status_code == 200, answer.text
    chat.ask("Read this", [{"id": answer.json()["id"]}])
    thread = chat.thread_when(
        lambda thread: "Received Übersicht.csv." in outputs(thread) and len(thread["elements"]) == 4, "the file"
    )
    element = next(one for one in thread["elements"] if one["name"] == "Übersicht.csv")
    assert (element["mime"], element["type"]) == ("text/csv", "file")
    assert read(element)[-1] == "größe;1\n".encode()


def test_feedback_is_given_changed_found_and_taken_back(chat):
    answer = answered(chat.stored)["id"]

    def give(**feedback):
        body = {"feedback": {"forId": answer, "threadId": chat.thread_id, **feedback}, "sessionId": chat.session_id}
        given = chat.http.put("/feedback", json=body)
        assert given.status_code == 200, given.text
        return given.json()["feedbackId"]

    def stored():
        feedback = answered(chat.thread())["feedback"]
        return feedback and (feedback["id"], feedback["value"], feedback["comment"])

    id = give(value=1, comment="good")
    assert stored() == (id, 1, "good")
    assert [row["id"] for row in chat.history(feedback=1)] == [chat.thread_id]
    assert chat.history(feedback=0) == []
    assert give(id=id, value=0) == id
    assert stored() == (id, 0, None)
    assert [row["id"] for row in chat.history(feedback=0)] == [chat.thread_id]
    assert chat.http.request("DELETE", "/feedback", json={"feedbackId": id}).status_code == 200
    assert stored() is None


def test_a_chat_is_resumed_with_its_state_and_goes_on_in_its_thread(chat):
    chat.close()
    # The state of the session is stored once its page has gone.
    chat.thread_when(lambda thread: (thread["metadata"] or {}).get("questions") == 1, "the state of the session")
    chat.sign_in()
    chat.open(chat.thread_id)
    [resumed] = eventually(lambda: chat.resumed, "the resumed thread")
    assert resumed["id"] == chat.thread_id
    assert [step["id"] for step in resumed["steps"]] == [step["id"] for step in chat.stored["steps"]]
    assert {element["name"] for element in resumed["elements"]} == {"notes", "map", "report"}
    eventually(lambda: f"Back in {QUESTION}, after 1 questions." in chat.shown(), "the welcome")
    chat.ask("And now?")
    thread = chat.thread_when(lambda thread: outputs(thread).count("On its way.") == 2, "the second answer")
    assert "And now?" in outputs(thread) and thread["name"] == QUESTION
    assert [row["id"] for row in chat.history()] == [chat.thread_id]
    chat.close()
    chat.thread_when(lambda thread: thread["metadata"].get("questions") == 2, "the state of the second session")


def test_the_history_is_searched_by_what_was_answered(chat):
    assert [row["id"] for row in chat.history(search="ON ITS WAY")] == [chat.thread_id]
    assert chat.history(search="lost") == []


def test_a_chat_is_read_and_deleted_by_its_user_alone(application, chat):
    other = Page(application, f"bob-{uuid.uuid4()}@example.org")
    other.thread_id = chat.thread_id
    assert other.http.get(f"/project/thread/{chat.thread_id}").status_code == 401
    assert other.http.request("DELETE", "/project/thread", json={"threadId": chat.thread_id}).status_code == 401
    assert other.history() == []
    assert chat.http.request("DELETE", "/project/thread", json={"threadId": chat.thread_id}).status_code == 200
    assert chat.thread() is None and chat.history() == []
    other.http.close()


if CHAINLIT >= (2,):

    def test_a_chat_is_renamed_and_keeps_what_it_has(chat):
        body = {"threadId": chat.thread_id, "name": "Renamed"}
        assert chat.http.put("/project/thread", json=body).status_code == 200
        thread = chat.thread()
        assert (thread["name"], thread["userIdentifier"]) == ("Renamed", chat.username)
        assert len(thread["steps"]) == len(chat.stored["steps"])
        assert [row["name"] for row in chat.history()] == ["Renamed"]
