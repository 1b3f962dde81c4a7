/**
 * Let a moved control replace the entry of the browser's history: Back leads to the page before.
 *
 * Streamlit pushes an entry whenever the script changes the parameters of the address, and has no option for
 * that (1.67: handlePageInfoChanged). Another page is pushed as before.
 */
export function replaceWhileOnePage() {
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, address) => {
    const to = new URL(address ?? location.href, location.href);
    if (to.pathname === location.pathname) history.replaceState(state, unused, address);
    else push(state, unused, address);
  };
}

/** Open an address of the same page as a link would, without loading anything again. */
export function open(address) {
  history.replaceState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}
