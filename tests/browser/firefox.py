"""Firefox as Debian ships it, by WebDriver BiDi: Playwright drives only a Firefox of its own, which no registry has."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

PATIENCE = 60  # seconds, on a busy machine
SPECIAL = {"Enter": "\ue006", "Tab": "\ue004", "End": "\ue010", "Home": "\ue011", "Backspace": "\ue003"}


def firefox() -> str | None:
    return shutil.which("firefox-esr") or shutil.which("firefox")


class FirefoxPage:
    """One tab: addresses, keys, and what is on the page."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: WebSocketClientConnection) -> None:
        self.loop, self.socket, self.ids = loop, socket, itertools.count(1)
        self.send("session.new", capabilities={})
        # A tab of our own: what Firefox opens with is its welcome, which pages cannot take the place of.
        self.context = self.send("browsingContext.create", type="tab")["context"]

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self.loop.run_until_complete(asyncio.wait_for(self._send(method, params), PATIENCE))

    async def _send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        wanted = next(self.ids)
        await self.socket.write_message(json.dumps({"id": wanted, "method": method, "params": params}))
        while True:
            said = await self.socket.read_message()
            assert said is not None, "Firefox has gone"
            reply = json.loads(said)
            if reply.get("id") == wanted:
                assert reply["type"] == "success", reply
                return reply["result"]

    def goto(self, url: str) -> None:
        self.send("browsingContext.navigate", context=self.context, url=url, wait="complete")
        self.send("browsingContext.activate", context=self.context)

    def evaluate(self, expression: str) -> Any:
        target = {"context": self.context}
        reply = self.send(
            "script.evaluate", expression=f"JSON.stringify({expression})", target=target, awaitPromise=True
        )
        assert reply["type"] == "success", reply
        said = reply["result"].get("value")
        return None if said is None else json.loads(said)

    def wait(self, expression: str) -> None:
        """Until it is true. A page that is being left answers nothing, and is asked again."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                if self.evaluate(expression):
                    return
            except AssertionError:
                pass
            time.sleep(0.1)
        shown = self.evaluate("[location.href, document.body.innerText.slice(0, 1000)]")
        raise AssertionError(f"never true: {expression}; the page is {shown}")

    def press(self, *keys: str) -> None:
        for key in keys:
            actions = [{"type": kind, "value": SPECIAL.get(key, key)} for kind in ("keyDown", "keyUp")]
            source = {"type": "key", "id": "keyboard", "actions": actions}
            self.send("input.performActions", context=self.context, actions=[source])


async def _connected(address: str) -> WebSocketClientConnection:
    return await websocket_connect(address)


@contextmanager
def firefox_page(profile: Path) -> Iterator[FirefoxPage]:
    command = [
        str(firefox()),
        "--headless",
        "--no-remote",
        "--profile",
        str(profile),
        "--remote-debugging-port",
        "0",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)  # tornado asks for it
    try:
        assert process.stderr is not None
        heard = (re.search(r"BiDi listening on (ws://\S+)", line) for line in process.stderr)
        address = next(found[1] for found in heard if found)
        socket = loop.run_until_complete(_connected(f"{address}/session"))
        yield FirefoxPage(loop, socket)
        socket.close()
    finally:
        process.terminate()
        process.wait(PATIENCE)
        loop.close()
