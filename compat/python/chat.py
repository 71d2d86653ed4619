"""A chat application of Chainlit, as its users write one. `test_chat.py` runs it."""

import chainlit as cl

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154"
    "789c63f8cfc0f01f0005000201a5f1b4c70000000049454e44ae426082"
)
REPORT = b"%PDF-1.4\n%%EOF\n"


@cl.password_auth_callback
def sign_in(username: str, password: str):
    return cl.User(identifier=username, metadata={"role": "reader"}) if password == "open" else None


@cl.on_chat_start
async def start():
    cl.user_session.set("questions", 0)
    await cl.Message(content="Ask me about an order.").send()


@cl.step(type="tool", name="look up")
async def look_up(question: str):
    if question == "break":
        raise RuntimeError("there is no such order")
    return {"state": "sent", "note": "Grüße 🚚"}


@cl.on_message
async def answer(message: cl.Message):
    cl.user_session.set("questions", cl.user_session.get("questions", 0) + 1)
    await look_up(message.content)
    if message.elements:
        await cl.Message(content=f"Received {message.elements[0].name}.").send()
        return
    reply = cl.Message(
        content="",
        elements=[
            cl.Text(name="notes", content="Grüße, 世界", display="inline"),
            cl.Image(name="map", content=PIXEL, display="inline"),
            cl.Pdf(name="report", content=REPORT, display="side", page=1),
        ],
    )
    for token in ("On ", "its ", "way."):
        await reply.stream_token(token)
    await reply.send()


@cl.on_chat_resume
async def resume(thread):
    questions = cl.user_session.get("questions")
    await cl.Message(content=f"Back in {thread['name']}, after {questions} questions.").send()
