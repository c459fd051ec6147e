import t from "tap";
import { sideOf } from "../../skills/answers/engine/compared-sides.js";
import { readQuestion } from "../../skills/answers/engine/question-reading.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";

const partsOf = (question: string) =>
	readQuestion(question)
		.parts.slice(1)
		.map((part) => part.question);

t.test("a question is read as one of the kinds that answers differ by", async (t) => {
	const kinds = {
		"How do PyPI and crates.io differ?": "comparison",
		"Is ES2023 faster than ES2022?": "comparison",
		"Will Python drop the GIL?": "forecast",
		"Since which version is UTF-8 the default?": "when",
		"Who maintains the registry?": "who",
		"How do I rotate the key?": "how-to",
		"Why was OCSP dropped?": "cause",
		"Which cipher suites should no longer be enabled?": "list",
		"Does JOSE register ML-DSA?": "yes-no",
		"After a rotation, are Secrets encrypted anew?": "yes-no",
		"What is a scheduling gate?": "definition",
		"Tell me about MCP": "explanation",
	};
	for (const [question, kind] of Object.entries(kinds)) {
		t.equal(readQuestion(question).kind, kind, question);
	}
});

t.test("a comparison asks for each side in everything that it names", async (t) => {
	const read = readQuestion("HNSW, IVF or flat indexes: how do they compare in memory and speed?");
	t.same(read.compared, ["HNSW", "IVF", "flat indexes"]);
	t.match(partsOf("How do MCP and A2A differ when input is needed?"), [
		"MCP when input is needed",
		"A2A when input is needed",
	]);
	t.same(partsOf("What is the difference between JWT and JWE?").length, 2);
	t.same(readQuestion("Compare A, B and C in cost, size and age").attributes, [
		"cost",
		"size",
		"age",
	]);
	t.same(readQuestion("Which is better?").compared, []);
	t.same(partsOf("How do PyPI and crates.io differ in signing uploads?"), [
		"PyPI signing uploads",
		"crates.io signing uploads",
	]);
	t.same(
		readQuestion("How do iterators in Python compare with JavaScript's and Rust's?").compared,
		["iterators in Python", "iterators in JavaScript", "iterators in Rust"],
	);
	t.same(readQuestion("Compare Python's and Rust's").compared, ["Python's", "Rust's"]);
	t.same(
		readQuestion("What is the difference between REPEATABLE READ in MySQL and PostgreSQL?")
			.compared,
		["REPEATABLE READ in MySQL", "REPEATABLE READ in PostgreSQL"],
	);
	t.same(readQuestion("What is the difference between the Bank of England and ECB?").compared, [
		"Bank of England",
		"ECB",
	]);
	t.same(readQuestion("How do caching in browsers and HTTP proxies differ?").compared, [
		"caching in browsers",
		"HTTP proxies",
	]);
});

t.test("a passage is of the side that it, its concept or its graph names", async (t) => {
	const concept = makeConcept({ id: "loops.iterators", title: "Iterators", body: "" });
	const graph = makeGraph({ id: "py", title: "Python evolution" }, [concept]);
	const sides = ["iterators in Python", "iterators in Rust"];
	t.equal(sideOf(sides, { concept, graph, text: "They arrived with generators." }), 0);
	t.equal(sideOf(sides, { concept, graph, text: "Rust asks for them in a loop." }), 1);
	const both = makeGraph({ id: "both", title: "Python and Rust evolution" }, [concept]);
	t.equal(sideOf(sides, { concept, graph: both, text: "They are lazy." }), undefined);
});

t.test("two questions in one are asked one by one, the second with what it is about", async (t) => {
	const [first, second] = partsOf("What is cargo-vet and how does it vet dependencies?");
	t.equal(first, "What is cargo-vet");
	t.equal(second, "how does it vet dependencies (What is cargo-vet)");
	t.same(partsOf("What is a search and rescue team?"), [], "one question");
	t.same(partsOf(""), []);
});

t.test("names that stand beside each other are asked of one by one", async (t) => {
	t.same(partsOf("When were SSL 2.0, SSL 3.0 and TLS 1.0 prohibited?"), [
		"When were SSL 2.0 prohibited?",
		"When were SSL 3.0 prohibited?",
		"When were TLS 1.0 prohibited?",
	]);
	t.same(partsOf("Who decides in PyPI or crates.io?"), [
		"Who decides in PyPI?",
		"Who decides in crates.io?",
	]);
	const whole = [
		"What is Marks and Spencer?",
		"Is there a relation between MCP and A2A?",
		"Which cats and dogs sleep?",
		"Which of A1, B1, C1, D1, E1, F1 and G1 are open?",
	];
	for (const question of whole) t.same(partsOf(question), [], question);
});

t.test("a question of any text is read, and its parts are few", async (t) => {
	const names = `When were ${"A1, ".repeat(400)}banned?`;
	const strange = [
		names,
		names.replaceAll("A1", "a1B"),
		"?",
		"vs",
		"compare",
		"a or b or c",
		"and and and",
		"x".repeat(2_000),
	];
	for (const question of [...strange, "what ".repeat(400), "is a, is b, ".repeat(150)]) {
		const { parts } = readQuestion(question);
		t.ok(parts.length <= 10, question.slice(0, 20));
		t.equal(parts[0].question, question);
	}
});
