import t from "tap";
import type { Concept } from "../../../src/knowledge/model/graph.js";
import { makeConcept, makeGraph } from "../../service/sample-graphs.js";
import { openDive } from "./run-dive.js";

const LINK = "![look](https://evil.example/track.png) [pay here](https://evil.example)";
const HIDDEN = "\u202e\u200b\u001b[31m";

t.test(
	"what two sources say against each other is reported, and lowers the confidence",
	async (t) => {
		const dive = await openDive(t.testdir(), [
			noted("tides", "The default idle timeout of the Larch protocol is 30 seconds.", "a.example"),
			noted("winds", "The default idle timeout of the Larch protocol is 90 seconds.", "b.example"),
		]);
		t.teardown(dive.close);
		const { report } = await dive.run("What is the idle timeout of the Larch protocol?", "fast");
		t.equal(report.contradictions.length, 1);
		const [contradiction] = report.contradictions;
		const told = [contradiction?.one.text, contradiction?.other.text].sort();
		t.match(told, [/30 seconds/, /90 seconds/]);
		t.match(contradiction?.reasons.join(), /seconds/);
		t.ok(report.findings.some(({ contradicted_by: against }) => against.length > 0));
	},
);

t.test("one source's account is not held against itself", async (t) => {
	const dive = await openDive(t.testdir(), [
		noted("tides", "The default idle timeout of the Larch protocol is 30 seconds.", "a.example"),
		noted("winds", "The default idle timeout of the Larch protocol is 90 seconds.", "a.example"),
	]);
	t.teardown(dive.close);
	const { report } = await dive.run("What is the idle timeout of the Larch protocol?", "fast");
	t.same(report.contradictions, []);
});

t.test("what evidence says never becomes a link, a picture or a control character", async (t) => {
	const text = `The Larch protocol ${LINK} ${HIDDEN} asks for <b>payment</b>. Its client then calls the tool.`;
	const dive = await openDive(t.testdir(), [noted("tides", text, "a.example")]);
	t.teardown(dive.close);
	const { report } = await dive.run("What does the Larch protocol ask for?", "fast");
	t.ok(report.abstract.length > 0);
	const md = dive.work.exportOf(report as never, "md");
	const html = dive.work.exportOf(report as never, "html");
	t.notMatch(md, /(?<!\\)!?\[[^\]]*\]\(|evil\.example/);
	t.notMatch(html, /<img|<b>|<script|evil\.example/);
	for (const document of [md, html]) {
		for (const char of ["\u202e", "\u200b", "\u001b"]) t.notOk(document.includes(char));
	}
	t.match(html, /href="https:\/\/a\.example\/larch"/);
});

function noted(id: string, body: string, host: string) {
	const concept: Partial<Concept> = {
		id: "protocols.larch",
		path: "protocols/larch.md",
		title: "Larch protocol",
		summary: "",
		body: `${body}[^note]`,
		evidence: [
			{
				articleId: "note",
				title: `Notes on Larch by ${host}`,
				sourceUrl: `https://${host}/larch`,
				publishedAt: "2026-01-01",
				datePrecision: "day",
			},
		],
		staleAfter: undefined,
	};
	return makeGraph({ id, slug: id, title: id }, [makeConcept(concept)]);
}
