"""A small program that judges, for tests: ``python programs_judge.py MODE``. It answers by the number of letters, always alike."""

from __future__ import annotations

import json
import sys


def letters(content: object) -> int:
    return len(json.dumps(content))


def rating(content: dict, asked: dict) -> dict:
    values = {}
    for criterion in content["criteria"]:
        steps = [step["value"] for step in criterion["steps"]]
        values[criterion["name"]] = steps[letters(content["text"]) % len(steps)]
    return {**(asked["answer"] or {}), "values": values}


def pairwise(content: dict, asked: dict) -> dict:
    return {"choices": {"preference": {"winner": 0}}}  # whatever stands first


def main() -> None:
    mode = sys.argv[1] if len(sys.argv) > 1 else ""
    for number, line in enumerate(sys.stdin):
        asked = json.loads(line)
        if mode == "end" and number == 2:
            return
        if mode == "skip" and number == 0:
            said = {"skip": "too long for me"}
        elif mode == "wrong" and "problem" not in asked:
            said = {"answer": {"values": {"overall": 99}}}
        elif mode == "bytes":  # in another encoding
            sys.stdout.buffer.write(b'{"skip": "zu gro\xdf"}\n')
            sys.stdout.flush()
            continue
        elif mode == "nonsense":
            print("not JSON", flush=True)
            continue
        else:
            said = {"answer": globals()[asked["kind"]](asked["content"], asked)}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
