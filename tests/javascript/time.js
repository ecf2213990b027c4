// Time in tests: what the scripts wait for is faked by the runner, the network is real.

import { vi } from "vitest";

const PATIENCE = 5_000_000_000n; // nanoseconds of real time

export function timeFake() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"] });
}

/**
 * Wait, in real time, until something has come over the network; no faked timer moves meanwhile.
 *
 * @param {() => unknown} condition
 */
export async function until(condition) {
  const begun = process.hrtime.bigint();
  while (!condition()) {
    if (process.hrtime.bigint() - begun > PATIENCE) throw new Error(`it did not happen: ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Long enough, in real time, for a request that should not be there to arrive. */
export async function quiet() {
  const begun = process.hrtime.bigint();
  while (process.hrtime.bigint() - begun < 50_000_000n) await new Promise((resolve) => setImmediate(resolve));
}

/** @param {"visible" | "hidden"} state */
export function visibilitySet(state) {
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
  document.dispatchEvent(new Event("visibilitychange"));
}
