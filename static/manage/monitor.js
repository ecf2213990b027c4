/** The monitor asks again every few seconds, as long as somebody can see it: a tab in the background costs nobody anything. */

const EVERY = 10_000;

/** Ask now, if the page is in sight. */
function refresh() {
  if (document.visibilityState !== "visible") {
    return;
  }
  document.getElementById("monitor")?.dispatchEvent(new CustomEvent("refresh"));
}

setInterval(refresh, EVERY);
document.addEventListener("visibilitychange", refresh);
