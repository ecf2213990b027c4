import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientKey, pending, resendOthers, submit } from "../../../static/assess/submit.js";
import { Server } from "../server.js";
import { quiet, timeFake, until } from "../time.js";

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** @type {Server} */
let server;
/** @type {string} */
let url;
/** @type {Array<() => void>} */
let away;

const meant = { client_key: "k", revision: 1, answer: { value: 3 }, seconds: 9, raw_seconds: 9 };
let body = { ...meant, at: 0 };
const submitted = () => submit(url, body, { away: (tryNow) => away.push(tryNow) });

beforeEach(async () => {
  server = new Server();
  await server.start();
  url = server.url("/submit/");
  away = [];
  localStorage.clear();
  // biome-ignore lint/suspicious/noDocumentCookie: as Django sets it
  document.cookie = "csrftoken=abc";
  timeFake();
  body = { ...meant, at: Date.now() };
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await server.stop();
});

describe("the key of a submit", () => {
  test("is a random UUID", () => {
    expect(clientKey()).toMatch(UUID4);
    expect(clientKey()).not.toBe(clientKey());
  });

  test("is one too where randomUUID is missing, as on an origin without TLS", () => {
    const { crypto } = globalThis;
    vi.stubGlobal("crypto", {
      getRandomValues: (/** @type {Uint8Array<ArrayBuffer>} */ a) => crypto.getRandomValues(a),
    });
    const keys = new Set(Array.from({ length: 200 }, clientKey));
    expect(keys.size).toBe(200);
    for (const key of keys) expect(key).toMatch(UUID4);
  });
});

describe("a submit", () => {
  test("that waited in a tab which is gone is older than what another device has saved since", () => {
    for (const [seen, server, isKept] of /** @type {[string | null, object, boolean][]} */ ([
      ["a", { seen: "a", savedAgo: "5" }, true],
      ["a", { seen: "b", savedAgo: "5" }, false],
      ["", { seen: "b", savedAgo: "5" }, false],
      ["a", {}, true],
      [null, { seen: "b", savedAgo: "5" }, false],
      [null, { seen: "b", savedAgo: "500" }, true],
    ])) {
      const waiting = { ...body, at: Date.now() - 60_000, seen };
      localStorage.setItem(`touchstone.pending.${url}`, JSON.stringify(waiting));
      expect(pending(url, server)).toEqual(isKept ? waiting : null);
      expect(pending(url)).toEqual(isKept ? waiting : null);
    }
  });

  test("is answered with what the server says, and forgotten here", async () => {
    server.answers = [{ data: { status: "saved" } }];
    const answer = submitted();
    expect(pending(url)).toEqual(body);
    expect(await answer).toEqual({ status: 200, data: { status: "saved" } });
    expect(pending(url)).toBeNull();
    expect(away).toEqual([]);
  });

  test("is sent again with the same key, after longer and longer waits, until there is an answer", async () => {
    server.answers = [{ type: "text/html" }, { status: 502 }, { status: 429 }, {}];
    const answer = submitted();
    for (const [tries, wait] of [1000, 2000, 4000].entries()) {
      await until(() => away.length === tries + 1);
      expect(pending(url)).toEqual(body);
      vi.advanceTimersByTime(wait - 1);
      await quiet();
      expect(server.requests).toHaveLength(tries + 1);
      vi.advanceTimersByTime(1);
    }
    expect((await answer).status).toBe(200);
    expect(server.requests.map(({ body: { waited, ...rest } }) => rest)).toEqual([meant, meant, meant, meant]);
    const waits = server.requests.map((request) => request.body.waited);
    expect(waits[0]).toBeLessThan(1);
    expect(waits[3]).toBeGreaterThanOrEqual(7);
    expect(pending(url)).toBeNull();
  });

  test("never waits longer than half a minute", async () => {
    server.answers = Array.from({ length: 9 }, () => ({ away: true }));
    const answer = submitted();
    for (let tries = 1; tries <= 9; tries += 1) {
      await until(() => away.length === tries);
      vi.advanceTimersByTime(30_000);
    }
    expect((await answer).status).toBe(200);
    expect(server.requests).toHaveLength(10);
  });

  test.each([
    ["the assessor says so", () => away[0]()],
    ["the browser is online again", () => window.dispatchEvent(new Event("online"))],
  ])("is tried at once when %s", async (_, act) => {
    server.answers = [{ away: true }, {}];
    const answer = submitted();
    await until(() => away.length === 1);
    act();
    expect((await answer).status).toBe(200);
    vi.advanceTimersByTime(60_000); // nothing is left of the wait
    await quiet();
    expect(server.requests).toHaveLength(2);
  });

  test.each([401, 403, 404, 410])("that is refused by %i stays in this browser", async (status) => {
    server.answers = [{ status }];
    expect((await submitted()).status).toBe(status);
    expect(pending(url)).toEqual(body);
  });

  test.each([409, 422])("that is settled by %i does not", async (status) => {
    server.answers = [{ status }];
    expect((await submitted()).status).toBe(status);
    expect(pending(url)).toBeNull();
  });
});

describe("what other items have left behind", () => {
  /** @param {string} path */
  const left = (path) => {
    localStorage.setItem(`touchstone.pending.${server.url(path)}`, JSON.stringify({ ...body, client_key: path }));
  };

  test("is sent, and this item's is not", async () => {
    left("/a/");
    left("/submit/");
    left("/b/");
    await resendOthers(url);
    expect(server.requests.map(({ path, body: sent }) => [path, sent.client_key])).toEqual([
      ["/a/", "/a/"],
      ["/b/", "/b/"],
    ]);
    expect(pending(server.url("/a/"))).toBeNull();
    expect(pending(url)).not.toBeNull();
  });

  test.each([
    [200, false],
    [409, false],
    [422, false],
    [403, true],
    [500, true],
  ])("after status %i is still kept: %s", async (status, isKept) => {
    left("/a/");
    server.answers = [{ status }];
    await resendOthers(url);
    expect(pending(server.url("/a/")) !== null).toBe(isKept);
  });
});

test("a browser without storage submits all the same", async () => {
  vi.stubGlobal("localStorage", undefined);
  expect((await submitted()).status).toBe(200);
  expect(pending(url)).toBeNull();
  await resendOthers(url);
});
