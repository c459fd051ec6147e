/** The owner's dashboard: the part that its address names, asked for from the admin API. */
import { render } from "preact";

const out = document.getElementById("part");
if (out) render(<p>x</p>, out);
