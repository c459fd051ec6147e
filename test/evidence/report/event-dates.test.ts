import t from "tap";
import { findEventDate } from "../../../skills/answers/engine/dated-events.js";

t.test("a sentence stands at the date it names, as precise as it names it", (t) => {
	for (const [text, date] of [
		["It began on 2024-02-29 at noon.", "2024-02-29"],
		["On 31 December 2024 it ended.", "2024-12-31"],
		["On February 28th, 2023 it was opened.", "2023-02-28"],
		["It ran from 3 May 2024 to 7 May 2024.", "2024-05-03"],
		["In May 2024 it was opened.", "2024-05"],
		["Since 1999 it has been open.", "1999"],
	] as const) {
		t.equal(findEventDate(text)?.date, date, text);
	}
	t.end();
});

t.test("a day that its month does not have is no date", (t) => {
	for (const text of [
		"It began on 2024-02-30 at noon.",
		"In 2023-02-29 it began.",
		"It was opened on 31 February 2024.",
		"On April 31st, 2024 it ended.",
	]) {
		t.equal(findEventDate(text), undefined, text);
	}
	t.end();
});
