/** A sheet to print: its charts. */
import { Charts } from "./charts.js";

new Charts(JSON.parse(document.querySelector("#recorded").textContent));
