/** Open the tab of a door as an entry of the menu is opened: nothing is loaded again, and what was dropped stays. */
export function openTabs() {
  addEventListener("click", (event) => {
    const link = event.target.closest?.("nav.tabs a");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.pathname === location.pathname) return;
    history.pushState({}, "", link.href);
    dispatchEvent(new PopStateEvent("popstate"));
  });
}
