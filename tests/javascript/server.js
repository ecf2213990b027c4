// A real server on this machine for scripts that send: it keeps what it gets, and answers as it is told.

import { createServer } from "node:http";

/**
 * @typedef {object} Answer
 * @property {number} [status]
 * @property {object} [data]
 * @property {string} [type] of the answer
 * @property {boolean} [away] break the connection instead of answering
 * @property {Promise<unknown>} [after] answer only then
 */

/** @typedef {{ path: string, headers: import("node:http").IncomingHttpHeaders, body: any }} Request */

export class Server {
  /** @type {Request[]} what it got, in order */
  requests = [];
  /** @type {Answer[]} what it is to answer, in order; when there is no more, 200 and {} */
  answers = [];
  #server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", async () => {
      this.requests.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(text) });
      const { status = 200, data = {}, type = "application/json", away = false, after } = this.answers.shift() ?? {};
      await after;
      if (away) return request.socket.destroy();
      response.writeHead(status, { "Content-Type": type, Connection: "close" });
      return response.end(JSON.stringify(data));
    });
  });

  async start() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve(null)));
  }

  /** @param {string} path */
  url(path) {
    const address = this.#server.address();
    if (!address || typeof address === "string") throw new Error("the server is not listening");
    return `http://127.0.0.1:${address.port}${path}`;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
