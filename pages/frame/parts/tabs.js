/** Links from page to page: the menu, the tabs of a door, and those that a page draws. */
const LINKS = "nav.tabs a, [data-testid='stTopNavLink'], [data-testid='stSidebarNavLink'], [data-testid='stPageLink-NavLink']";

/**
 * Turn to a page before it is asked for. Nothing is loaded again, and what was dropped stays. Streamlit's own way asks
 * first: a page that answers soon wrote its parameters into the address of the page that is left.
 */
export function turnFirst() {
  addEventListener("click", (event) => {
    const link = event.target.closest?.(LINKS);
    if (!link?.href || link.origin !== location.origin || link.target === "_blank") return;
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (link.href === location.href) return;
    history.pushState({}, "", link.href);
    dispatchEvent(new PopStateEvent("popstate"));
    if (link.dataset.testid === "stSidebarNavLink") // the menu of a phone lies over the page
      document.querySelector("[data-testid='stSidebarCollapseButton'] button")?.click();
  }, { capture: true });
}
