"""What the tests of every client share: which client it is, where the service is, and one way to call both flavours."""

import asyncio
import inspect
import json
import os
import tempfile

import certifi
import pytest
from literalai.version import __version__

API_URL = os.environ["LITERAL_API_URL"]
API_KEY = os.environ["LITERAL_API_KEY"]


# The clients make a new HTTP client for each call, and each of those reads all certificates of the world, which takes
# thirty times as long as the call. Nothing here is asked by TLS, so one certificate does.
with tempfile.NamedTemporaryFile("w", suffix=".pem", delete=False) as one:
    END = "-----END CERTIFICATE-----"
    with open(certifi.where(), encoding="utf-8") as all_of_them:
        one.write(all_of_them.read().partition(END)[0] + END + "\n")
os.environ["SSL_CERT_FILE"] = one.name


def pytest_sessionfinish():
    os.remove(one.name)


def parse(text):
    return tuple(int(part) for part in text.split("."))


VERSION = parse(__version__)


def since(first):
    """Leaves a test out where the client has no such call yet."""
    return (lambda test: test) if VERSION >= parse(first) else (lambda test: None)


def until(last):
    """Leaves a test out where the client has no such call any more."""
    return (lambda test: test) if VERSION <= parse(last) else (lambda test: None)


class Blocking:
    """Calls a client's API, and waits where the flavour gives a coroutine: one text of a test for both flavours."""

    def __init__(self, target, loop):
        self._target = target
        self._loop = loop

    def __getattr__(self, name):
        attribute = getattr(self._target, name)
        if not callable(attribute):
            return attribute

        def call(*args, **kwargs):
            result = attribute(*args, **kwargs)
            return (
                self._loop.run_until_complete(result)
                if inspect.iscoroutine(result)
                else result
            )

        return call


@pytest.fixture(scope="session")
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(autouse=True)
def environment_variables():
    """Some clients write LITERAL_ENV for the whole process."""
    yield
    os.environ.pop("LITERAL_ENV", None)


def pytest_runtest_logreport(report):
    """Writes a line for each test, for the runner that counts them."""
    path = os.environ.get("STEPWELL_RESULTS")
    if path is None or not (report.when == "call" or report.failed):
        return
    failure = str(report.longrepr) if report.failed else None
    with open(path, "a", encoding="utf-8") as results:
        results.write(json.dumps({"name": report.nodeid.partition("::")[2], "failure": failure}) + "\n")
