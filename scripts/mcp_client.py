"""The official Python client of the Model Context Protocol against `pm mcp`; see scripts/mcp-client.

Lists tools, reads, writes, pages through a continuation, carries a session, hears progress, cancels; once with the
handshake of the older revisions and once without, as the newest has it.
"""

import json
import os
import subprocess
import sys
import tempfile

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import Implementation

PM = sys.argv[1]
AUTHOR = "harness:pm-script"


def text(result):
    assert len(result.content) >= 1 and result.structured_content is None, result
    return result.content[0].text


async def ask(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text(result)
    return json.loads(text(result))


async def tools(client):
    listed = (await client.list_tools()).tools
    names = [tool.name for tool in listed]
    assert {"pm_list", "pm_get", "pm_create", "pm_update", "pm_next"} <= set(names), names
    size = len(json.dumps({"tools": [t.model_dump(by_alias=True, exclude_none=True) for t in listed]}, separators=(",", ":")))
    assert size <= 12_000, f"{size} bytes"
    return f"{len(names)} tools in {size} bytes"


async def writes(client, folder):
    made = await ask(client, "pm_create", title="Made by the client", tags=["a", "b"])
    item = (await ask(client, "pm_get", id=made["id"]))["item"]
    assert item["title"] == "Made by the client" and item["tags"] == ["a", "b"], item
    # The name that the client gave itself stands behind the change.
    (stream,) = [n for n in os.listdir(f"{folder}/.agents/pm/history") if n.startswith(made["id"])]
    with open(f"{folder}/.agents/pm/history/{stream}", encoding="utf-8") as lines:
        entry = json.loads(lines.readline())
    assert (entry["author"], entry["agent_harness"]) == (AUTHOR, "pm-script"), entry
    typo = await client.call_tool("pm_create", {"title": "Not made", "titel": "x"})
    assert typo.is_error and "title" in text(typo), typo
    return made["id"]


async def pages(client):
    seen, cursor = [], {}
    while True:
        page = await ask(client, "pm_list", outputBudget=600, **cursor)
        seen += [row["id"] for row in page["items"]]
        if not page.get("next_cursor"):
            break
        cursor = {"outputCursor": page["next_cursor"]}
    assert len(seen) == len(set(seen)) >= 30, len(seen)
    return f"{len(seen)} rows, each once"


async def session(client):
    state = {"version": 1, "id": "s", "token_budget": 9000, "spent_tokens": 0, "seen_item_ids": []}
    first = await ask(client, "pm_list", limit=2, outputSession=state)
    second = await ask(client, "pm_list", limit=2, outputSession=first["read_session"]["next_state"])
    assert "context_ref" in second["items"][0], second


async def progress(client):
    heard = []

    async def hear(done, total, message):
        heard.append((done, total, message))

    result = await client.call_tool("pm_validate", {"counts": True}, progress_callback=hear)
    assert not result.is_error, text(result)
    numbers = [done for done, _, _ in heard]
    assert len(numbers) > 3 and numbers == sorted(set(numbers)), heard
    return f"{len(heard)} steps"


async def cancels(client, id, folder):
    """A linked test that never ends: when the call is taken back, it is stopped and nothing is recorded."""
    await ask(client, "pm_test", id=id, add="command=sleep 1000")
    began = anyio.Event()

    async def hear(done, total, message):
        began.set()

    async with anyio.create_task_group() as group:
        async def run():
            await client.call_tool("pm_test", {"id": id, "run": True}, progress_callback=hear)

        group.start_soon(run)
        await began.wait()
        group.cancel_scope.cancel()
    # The worker is free: the next call is answered.
    item = (await ask(client, "pm_get", id=id, depth="full"))["item"]
    assert not item.get("test_runs"), item


async def rest(client, id):
    contents = (await client.read_resource(f"pm://items/{id}")).contents
    assert "Made by the client" in contents[0].text, contents
    prompt = await client.get_prompt("orient", {"request": "the login"})
    assert "the login" in prompt.messages[0].content.text, prompt


async def main(mode):
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *words: subprocess.run([PM, *words], cwd=folder, check=True, capture_output=True)
        run("init")
        for n in range(30):
            run("create", f"Item number {n}")
        env = {"PATH": os.environ["PATH"], "HOME": folder}
        server = StdioServerParameters(command=PM, args=["mcp"], cwd=folder, env=env)
        who = Implementation(name="pm-script", version="1")
        async with Client(server, mode=mode, client_info=who) as client:
            print(f"  {mode}: {client.protocol_version}: {await tools(client)}")
            id = await writes(client, folder)
            print(f"  {mode}: {await pages(client)}")
            await session(client)
            print(f"  {mode}: {await progress(client)}")
            await cancels(client, id, folder)
            await rest(client, id)


if __name__ == "__main__":
    for mode in ("legacy", "auto"):
        anyio.run(main, mode)
    print("mcp-client: all holds")
