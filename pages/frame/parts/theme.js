/** Ask for the page again when its theme has changed: the server draws charts in the ink of the theme. */
import { open } from "./history.js";

/** Milliseconds in which Streamlit takes a theme on. */
const TAKEN_ON = 150;

/** Watch the theme from when the app is there; a change of it changes the class of the app. */
export function watchTheme() {
  let watched, paper;
  const look = () => {
    const now = getComputedStyle(watched).backgroundColor;
    if (now === paper) return;
    paper = now;
    open(location.href.split("#")[0]); // where there is a fragment Streamlit takes the address for a jump
  };
  const changes = new MutationObserver(() => setTimeout(look, TAKEN_ON));
  return () => {
    const app = document.querySelector("[data-testid='stApp']");
    if (!app || app === watched) return;
    watched = app;
    paper = getComputedStyle(app).backgroundColor;
    changes.disconnect();
    changes.observe(app, { attributeFilter: ["class"] });
  };
}
