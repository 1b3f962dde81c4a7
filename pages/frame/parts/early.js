/** Loads the chart library while the server works on the first answer, not when the first chart has come. */

/** The app once it can ask the server, which it does before it says so. */
const ASKED = "[data-test-connection-state='CONNECTED']";

/** Run the file that the page has already loaded; whoever imports it later gets the same module. */
export function beginCharts() {
  const file = document.querySelector("link[data-charts]")?.href;
  if (!file) return;
  const seen = new MutationObserver(() => {
    if (!document.querySelector(ASKED)) return;
    seen.disconnect();
    import(file).catch(() => {}); // a file that cannot be loaded is asked for again by the first chart
  });
  const attributeFilter = ["data-test-connection-state"];
  seen.observe(document.getElementById("root"), { childList: true, subtree: true, attributeFilter });
}
