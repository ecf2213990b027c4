import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Drafts } from "../../../static/assess/drafts.js";
import { Server } from "../server.js";
import { quiet, timeFake, until, visibilitySet } from "../time.js";

/** @type {Server} */
let server;
/** @type {string} */
let url;
/** @type {Drafts} */
let drafts;
/** @type {Array<string | undefined>[]} */
let said;
let answer = { value: 0 };

/**
 * @param {number} revision
 * @param {string} [seen]
 */
function draftsOf(revision, seen) {
  return new Drafts({
    url,
    revision,
    seen,
    body: () => ({ answer, seconds: 7, raw_seconds: 9 }), // some kinds give the very answer that they go on changing
    say: (state, reply) => {
      said.push(reply === undefined ? [state] : [state, reply.data.message]);
    },
  });
}

/** @param {number} value */
function change(value) {
  answer.value = value;
  drafts.changed();
}

const last = () => said.at(-1)?.[0];
/**
 * A change whose draft does not arrive.
 *
 * @param {number} value
 */
async function changeOffline(value) {
  server.answers = [{ away: true }];
  change(value);
  vi.advanceTimersByTime(600);
  await until(() => last() === "offline");
}

const copy = () => localStorage.getItem(`touchstone.draft.${url}`);

beforeEach(async () => {
  server = new Server();
  await server.start();
  url = server.url("/draft/");
  said = [];
  answer = { value: 0 };
  localStorage.clear();
  // biome-ignore lint/suspicious/noDocumentCookie: as Django sets it
  document.cookie = "csrftoken=abc";
  visibilitySet("visible");
  timeFake();
  drafts = draftsOf(1);
});

afterEach(async () => {
  const stopped = drafts.stop();
  await vi.advanceTimersByTimeAsync(3000);
  await stopped;
  vi.useRealTimers();
  await server.stop();
});

describe("a change", () => {
  test("is saved once the assessor pauses, with the last answer only", async () => {
    change(1);
    vi.advanceTimersByTime(500);
    change(2);
    vi.advanceTimersByTime(599);
    await quiet();
    expect(server.requests).toEqual([]);
    vi.advanceTimersByTime(1);
    await until(() => last() === "saved");
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0].body).toEqual({ revision: 1, answer: { value: 2 }, seconds: 7, raw_seconds: 9 });
    expect(server.requests[0].headers["x-csrftoken"]).toBe("abc");
  });

  test("is kept in this browser until the server has it", async () => {
    change(3);
    const kept = { revision: 1, answer: { value: 3 }, seconds: 7, raw_seconds: 9, seen: null, at: Date.now() };
    expect(Drafts.unsent(url, 1)).toEqual(kept);
    expect(Drafts.unsent(url, 2)).toBeNull();
    vi.advanceTimersByTime(600);
    await until(() => last() === "saved");
    expect(copy()).toBeNull();
    expect(Drafts.unsent(url, 1)).toBeNull();
  });

  test("during a save is saved after it, and nothing says “saved” before", async () => {
    /** @type {(value: unknown) => void} */
    let answerNow = () => {};
    server.answers = [{ after: new Promise((resolve) => (answerNow = resolve)) }];
    change(1);
    vi.advanceTimersByTime(600);
    await until(() => server.requests.length === 1);
    change(2);
    answerNow(null);
    await quiet();
    expect(last()).toBe("saving");
    expect(copy()).toContain('"value":2');
    vi.advanceTimersByTime(600);
    await until(() => last() === "saved");
    expect(server.requests.map(({ body }) => body.answer.value)).toEqual([1, 2]);
  });
});

describe("when the server is away", () => {
  test.each([
    ["the connection breaks", { away: true }],
    ["it is overloaded", { status: 503 }],
    ["it asks to slow down", { status: 429 }],
    ["the login page of a network answers", { type: "text/html" }],
  ])("because %s, the draft is kept and sent again after five seconds", async (_, trouble) => {
    server.answers = [trouble];
    change(4);
    vi.advanceTimersByTime(600);
    await until(() => last() === "offline");
    expect(copy()).toContain('"value":4');
    vi.advanceTimersByTime(4999);
    await quiet();
    expect(server.requests).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await until(() => last() === "saved");
    expect(server.requests).toHaveLength(2);
    expect(copy()).toBeNull();
  });

  test("the browser's word that it is online again cuts the wait short", async () => {
    await changeOffline(5);
    window.dispatchEvent(new Event("online"));
    vi.advanceTimersByTime(0);
    await until(() => last() === "saved");
  });
});

test("a draft that is refused is not sent again, and the server's words are shown", async () => {
  server.answers = [{ status: 403, data: { message: "The study is closed." } }];
  change(6);
  vi.advanceTimersByTime(600);
  await until(() => last() === "refused");
  expect(said.at(-1)).toEqual(["refused", "The study is closed."]);
  vi.advanceTimersByTime(60_000);
  await quiet();
  expect(server.requests).toHaveLength(1);
  expect(copy()).not.toBeNull();
});

describe("what another tab or device has changed", () => {
  beforeEach(async () => {
    await drafts.stop();
    drafts = draftsOf(1, "a");
  });

  test("is told apart by the server, as each draft says which one it goes on from", async () => {
    server.answers = [{ data: { seen: "b" } }, { data: { seen: "c" } }];
    change(1);
    vi.advanceTimersByTime(600);
    await until(() => last() === "saved");
    change(2);
    vi.advanceTimersByTime(600);
    await until(() => server.requests.length === 2);
    expect(server.requests.map(({ body }) => body.seen)).toEqual(["a", "b"]);
  });

  test("is told apart where answers were lost, too: what was sent meanwhile goes along", async () => {
    server.answers = [{ away: true }, { status: 503 }, { data: { seen: "c" } }];
    change(1);
    vi.advanceTimersByTime(600);
    await until(() => last() === "offline");
    change(2);
    vi.advanceTimersByTime(600);
    await until(() => server.requests.length === 2 && last() === "offline");
    vi.advanceTimersByTime(5000);
    await until(() => last() === "saved");
    change(3);
    vi.advanceTimersByTime(600);
    await until(() => server.requests.length === 4);
    const told = server.requests.map(({ body }) => [body.seen, body.unheard]);
    expect(told).toEqual([
      ["a", undefined],
      ["a", [{ value: 1 }]],
      ["a", [{ value: 1 }, { value: 2 }]],
      ["c", undefined],
    ]);
  });

  test("is not replaced by a page that was refused and is left to see it, where there is little room", async () => {
    await drafts.stop();
    answer = /** @type {any} */ ({ value: "x".repeat(40_000) });
    drafts = draftsOf(1, "");
    server.answers = [{ status: 409 }, { status: 409 }];
    drafts.changed();
    vi.advanceTimersByTime(600);
    await until(() => last() === "refused");
    window.dispatchEvent(new Event("pagehide"));
    await until(() => server.requests.length === 2);
    expect(server.requests.map(({ body }) => [body.seen, body.unheard?.length])).toEqual([
      ["", 1],
      ["", undefined],
    ]);
  });

  test("is not what a tab sends that was only looked at: the answer that the page starts from goes along", async () => {
    await drafts.stop();
    drafts = draftsOf(1, "");
    server.answers = [{ data: { seen: "b" } }];
    change(1);
    vi.advanceTimersByTime(600);
    await until(() => last() === "saved");
    change(2);
    vi.advanceTimersByTime(600);
    await until(() => server.requests.length === 2);
    expect(server.requests.map(({ body }) => [body.seen, body.unheard])).toEqual([
      ["", [{ value: 0 }]],
      ["b", undefined],
    ]);
  });

  test.each([
    ["a page that stays has more room", 40_000, () => vi.advanceTimersByTime(5000), "a", 1],
    ["a page that is left has little", 40_000, () => window.dispatchEvent(new Event("pagehide")), undefined, undefined],
    ["there is no room for so much", 130_000, () => vi.advanceTimersByTime(5000), undefined, undefined],
    ["nor for so many values", 12_000, () => vi.advanceTimersByTime(5000), undefined, undefined],
  ])("cannot be told where too much of that was lost: %s", async (why, signs, goOn, seen, unheard) => {
    server.answers = [{ away: true }];
    answer = /** @type {any} */ ({ value: why.includes("values") ? Array(signs).fill(1) : "x".repeat(signs) });
    drafts.changed();
    vi.advanceTimersByTime(600);
    await until(() => last() === "offline");
    goOn();
    await until(() => last() === "saved");
    expect(server.requests.map(({ body }) => [body.seen, body.unheard?.length])).toEqual([
      ["a", undefined],
      [seen, unheard],
    ]);
  });

  test("is not replaced by whoever was told and goes on", async () => {
    const told = { status: 409, data: { message: "Reload." } };
    server.answers = [told, told, told];
    change(1);
    vi.advanceTimersByTime(600);
    await until(() => last() === "refused");
    change(2);
    vi.advanceTimersByTime(600);
    await until(() => server.requests.length === 2 && last() === "refused");
    window.dispatchEvent(new Event("pagehide"));
    await until(() => server.requests.length === 3);
    expect(server.requests.map(({ body }) => [body.seen, body.unheard])).toEqual(Array(3).fill(["a", undefined]));
  });

  test("is newer than a copy that went on from another draft", () => {
    change(1);
    expect(Drafts.unsent(url, 1, { seen: "a", savedAgo: "0" })?.answer).toEqual({ value: 1 });
    expect(Drafts.unsent(url, 1, { seen: "" })?.answer).toEqual({ value: 1 });
    expect(Drafts.unsent(url, 1, { seen: "b", savedAgo: "0" })).toBeNull();
    expect(copy()).toBeNull();
  });

  test("is newer than a copy of long before, whatever that went on from", async () => {
    await changeOffline(1);
    change(2);
    vi.advanceTimersByTime(60_000);
    expect(Drafts.unsent(url, 1, { seen: "b", savedAgo: "70" })?.answer).toEqual({ value: 2 });
    expect(Drafts.unsent(url, 1, { seen: "b", savedAgo: "5" })).toBeNull();
  });
});

describe("leaving the page", () => {
  test("saves at once, and once, although browsers tell it twice", async () => {
    change(1);
    visibilitySet("hidden");
    window.dispatchEvent(new Event("pagehide"));
    await until(() => server.requests.length === 1);
    await quiet();
    vi.advanceTimersByTime(600);
    await quiet();
    expect(server.requests).toHaveLength(1);
  });

  test("saves the seconds of a first visit even without an answer", async () => {
    window.dispatchEvent(new Event("pagehide"));
    await until(() => server.requests.length === 1);
    expect(server.requests[0].body.seconds).toBe(7);
  });

  test("saves nothing of a later revision that was only looked at", async () => {
    await drafts.stop();
    drafts = draftsOf(2);
    window.dispatchEvent(new Event("pagehide"));
    await quiet();
    expect(server.requests).toEqual([]);
  });

  test("and coming back saves nothing", async () => {
    visibilitySet("visible");
    await quiet();
    expect(server.requests).toEqual([]);
  });
});

describe("save", () => {
  test("takes along that a stage is confirmed, and gives the server's answer", async () => {
    server.answers = [{ data: { html: "<p>" } }];
    expect(await drafts.save({ confirm: true })).toEqual({ status: 200, data: { html: "<p>" } });
    expect(server.requests[0].body).toEqual({
      revision: 1,
      answer: { value: 0 },
      seconds: 7,
      raw_seconds: 9,
      confirm: true,
    });
  });

  test("waits for the one before it, so that none overtakes", async () => {
    /** @type {(value: unknown) => void} */
    let answerNow = () => {};
    server.answers = [{ after: new Promise((resolve) => (answerNow = resolve)) }];
    const first = drafts.save();
    const second = drafts.save({ confirm: true });
    await until(() => server.requests.length === 1);
    await quiet();
    expect(server.requests).toHaveLength(1);
    answerNow(null);
    await Promise.all([first, second]);
    expect(server.requests.map(({ body }) => body.confirm)).toEqual([undefined, true]);
  });
});

describe("stop", () => {
  test("ends all saving", async () => {
    change(1);
    await drafts.stop();
    drafts.changed();
    window.dispatchEvent(new Event("pagehide"));
    vi.advanceTimersByTime(60_000);
    await quiet();
    expect(server.requests).toEqual([]);
  });

  test("waits for a draft under way, but no longer than three seconds", async () => {
    server.answers = [{ after: new Promise(() => {}) }];
    drafts.save();
    await until(() => server.requests.length === 1);
    let isStopped = false;
    drafts.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(2999);
    expect(isStopped).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isStopped).toBe(true);
  });

  test("can be taken back", async () => {
    await drafts.stop();
    drafts.start();
    change(8);
    vi.advanceTimersByTime(600);
    await until(() => last() === "saved");
  });
});
