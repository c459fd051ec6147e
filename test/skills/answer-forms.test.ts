import t from "tap";
import { findStatedTotal, fitsForm } from "../../skills/answers/engine/answer-forms.js";
import { findDatedEvents } from "../../skills/answers/engine/dated-events.js";
import { readQuestion } from "../../skills/answers/engine/question-reading.js";
import { toClaim } from "../../skills/answers/engine/yes-no.js";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";

const sentencesOf = (...body: string[]) =>
	toCitedSentences(
		makeGraph({ id: "g" }, []),
		makeConcept({ id: "c", title: "C", summary: "S is a thing.", body: body.join("\n\n") }),
	);
const eventsOf = (...body: string[]) =>
	findDatedEvents(sentencesOf(...body)).map(({ date, until, sentence }) => {
		return [until === undefined ? date : `${date}/${until}`, sentence.text];
	});

t.test("events have the date that their sentence names, as precise as it is written", async (t) => {
	const told = {
		"The protocol appeared in 2014.": "2014",
		"RFC 8446 (August 2018) defines TLS 1.3.": "2018-08",
		"The upgrade activated on 7 May 2025 on mainnet.": "2025-05-07",
		"Support lasted from 2019 to 2021.": "2019/2021",
		"Type hints (2014) are optional.": "2014",
	};
	for (const [text, date] of Object.entries(told)) t.same(eventsOf(text), [[date, text]], text);
	t.same(
		eventsOf("It ended in 2020.", "It began in May 2001.").map(([date]) => date),
		["2001-05", "2020"],
		"oldest first",
	);
});

t.test(
	"publication, due and retrieval dates, numbers and doubtful dates are no events",
	async (t) => {
		const texts = [
			"As of 2025-08-25 the table has ten rows.",
			"The extract to 2025-08-25 has ten rows.",
			"RSA is to be replaced by 2035.",
			"Keys have 1952 bytes.",
			"RFC 2005 defines default binding modes.",
			"Const generics (2000) and impl Trait (1522) came later.",
			"It was proposed in 2011 and accepted in 2013.",
			"It met on 31 February 2020.",
			"The tide comes and goes.",
		];
		for (const text of texts) t.same(eventsOf(text), [], text);
		t.same(eventsOf(), [], "a source's publication date is none");
	},
);

t.test("a question on when needs a date or a release, one on how many a number", async (t) => {
	const fits = (question: string, text: string) => fitsForm(readQuestion(question), text);
	t.notOk(fits("When was SSL prohibited?", "SSL is prohibited."));
	t.ok(fits("When was SSL prohibited?", "SSL was prohibited in June 2015."));
	t.ok(fits("When did Python get match?", "The match statement arrived in Python 3.10."));
	t.ok(fits("When do spring tides come?", "They come some days after the new moon."));
	t.notOk(fits("How many rounds does it have?", "It has several rounds."));
	t.ok(fits("How many rounds does it have?", "It has fourteen or 10 rounds."));
	t.ok(fits("How many rounds does it have?", "It has three rounds."));
	t.ok(fits("Why is it slow?", "Because it is."));
});

t.test("a list has the total that a sentence states of what is asked for", async (t) => {
	const total = (question: string, ...body: string[]) =>
		findStatedTotal(readQuestion(question), sentencesOf(...body))?.total;
	const question = "Which task states does A2A define?";
	t.equal(total(question, "A2A has nine task states."), 9);
	t.equal(total(question, "There are 12 states."), 12);
	t.equal(total(question, "The states are many.", "Version 1.2 states this."), undefined);
	t.equal(total("Why are there task states?", "A2A has nine task states."), undefined);
});

t.test("a yes-no question becomes the claim that it asks about", async (t) => {
	const claims = {
		"Is GET safe?": "GET is safe.",
		"Is a GET request idempotent?": "A GET request is idempotent.",
		"Can TLS be used without certificates?": "TLS can be used without certificates.",
		"Does OpenAPI describe webhooks?": "OpenAPI describe webhooks.",
		"Isn't POST idempotent?": "POST is idempotent.",
		"Doesn't OpenAPI describe webhooks?": "OpenAPI describe webhooks.",
		"After a rotation, are Secrets encrypted anew?":
			"After a rotation, Secrets are encrypted anew.",
		"Are stored Secrets still encrypted?": "Stored Secrets are still encrypted.",
	};
	for (const [question, claim] of Object.entries(claims)) t.equal(toClaim(question), claim);
	for (const other of [
		"Why is it so?",
		"Is it?",
		"",
		"is",
		"Is GET not safe?",
		"Is AES fast or slow?",
	])
		t.equal(toClaim(other), undefined);
	t.ok((toClaim(`Is ${"very ".repeat(400)}safe?`) ?? "").length > 0);
});

t.test("dates that are counts, denied, or only the end of a few days are no events", async (t) => {
	const none = [
		"It laid off a total of 2000 employees.",
		"It operates in 2000 stores.",
		"The bill was not passed in 2019.",
		"The meeting lasted from 3 to 5 March 2024.",
	];
	for (const text of none) t.same(eventsOf(text), [], text);
	const dated = {
		"It ran from 5 March 2019 to 2021.": "2019-03-05/2021",
		"It opened in autumn 2024.": "2024",
		"It opened in the third quarter of 2024.": "2024",
		"In 2014 researchers found it.": "2014",
	};
	for (const [text, date] of Object.entries(dated)) t.same(eventsOf(text), [[date, text]], text);
});

t.test("what is counted is what was asked for", async (t) => {
	const total = (question: string, body: string) =>
		findStatedTotal(readQuestion(question), sentencesOf(body))?.total;
	const question = "What are the types of HTTP caches?";
	t.equal(total(question, "HTTP defines nine types of status messages."), undefined);
	t.equal(total(question, "HTTP knows two types of caches."), 2);
	t.equal(total(question, "HTTP has at least two types of caches."), undefined);
});
