// Tells Streamlit where its server is. It would look below the path of the page first, and where that fails
// wait for a tenth of a second: everywhere but on the first page, at each visit.
window.__streamlit = { ...window.__streamlit, BACKEND_BASE_URL: new URL(".", document.baseURI).href };
