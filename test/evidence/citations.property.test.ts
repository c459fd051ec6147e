import fc from "fast-check";
import t from "tap";
import { type Citable, toApa, toBibTex, toCsl } from "../../skills/articles/citations.js";

const PAGE: Citable = {
	id: "art_0123456789abcdef0123",
	type: "webpage",
	title: "Transfer With Authorization",
	url: "https://eips.ethereum.org/EIPS/eip-3009",
	container: "eips.ethereum.org",
	issued: { day: "2020-09-28", precision: "day" },
};
const NODE: Citable = {
	id: "web:concepts.http-402",
	type: "entry",
	title: "What does 402 mean?",
	url: "https://shop.example/v1/graphs/web",
	container: "Payments on the web",
	publisher: "Sample desk",
	version: "1.0.0",
	issued: { day: "2026-01-15", precision: "day" },
};

t.test("a page and a node are cited as the three styles write them", (t) => {
	t.same(toCsl(PAGE), {
		id: PAGE.id,
		type: "webpage",
		title: PAGE.title,
		URL: PAGE.url,
		"container-title": "eips.ethereum.org",
		issued: { "date-parts": [[2020, 9, 28]] },
	});
	t.equal(
		toBibTex(PAGE),
		`@misc{${PAGE.id},
	title = {{Transfer With Authorization}},
	howpublished = {eips.ethereum.org},
	year = {2020},
	month = sep,
	day = {28},
	url = {https://eips.ethereum.org/EIPS/eip-3009},
}`,
	);
	t.equal(
		toApa(PAGE),
		"Transfer With Authorization. (2020, September 28). eips.ethereum.org. https://eips.ethereum.org/EIPS/eip-3009",
	);
	t.equal(
		toApa(NODE),
		"What does 402 mean? (2026, January 15). In Payments on the web (Version 1.0.0). Sample desk. https://shop.example/v1/graphs/web",
	);
	t.end();
});

t.test("a date is written as far as it is known", (t) => {
	const dated = (precision: "month" | "year") => ({
		...PAGE,
		issued: { day: "2020-09-01", precision },
	});
	t.match(toApa(dated("month")), "(2020, September).");
	t.match(toApa(dated("year")), "(2020).");
	t.match(toApa({ ...PAGE, issued: undefined }), "(n.d.).");
	t.notMatch(toBibTex(dated("year")), "month");
	t.same(toCsl(dated("month")).issued, { "date-parts": [[2020, 9]] });
	t.equal(toCsl({ ...PAGE, issued: undefined }).issued, undefined);
	t.end();
});

/** Reads an entry as BibTeX does: a brace counts whatever stands before it. */
function readEntry(text: string): ReadonlyMap<string, string> {
	const [, body = ""] = /^@misc\{[A-Za-z0-9:_.-]+,\n(.*)\n\}$/s.exec(text) ?? [];
	const fields = new Map<string, string>();
	for (let at = 0; at < body.length; ) {
		const [head = "", name = ""] = /^\t([a-z]+) = /.exec(body.slice(at)) ?? [];
		if (head === "")
			throw new Error(`No field begins at ${JSON.stringify(body.slice(at, at + 40))}.`);
		const start = at + head.length;
		const end = endOfValue(body, start);
		fields.set(name, body.slice(start, end));
		if (body[end] !== ",") throw new Error("A value is followed by more.");
		at = end + 2;
	}
	return fields;
}

function endOfValue(body: string, start: number): number {
	if (body[start] !== "{") return body.indexOf(",", start);
	for (let at = start, depth = 0; at < body.length; at++) {
		if (body[at] === "{") depth += 1;
		if (body[at] === "}") depth -= 1;
		if (depth === 0) return at + 1;
	}
	throw new Error("A brace is never closed.");
}

const TEX: readonly (readonly [string, string])[] = [
	["\\textbraceleft{}", "{"],
	["\\textbraceright{}", "}"],
	["\\textasciitilde{}", "~"],
	["\\textasciicircum{}", "^"],
	["\\textbackslash{}", "\\"],
];

function readTex(text: string): string {
	let [read, at] = ["", 0];
	while (at < text.length) {
		const macro = TEX.find(([written]) => text.startsWith(written, at));
		if (macro) {
			read += macro[1];
			at += macro[0].length;
		} else if (text[at] === "\\") {
			read += text[at + 1] ?? "";
			at += 2;
		} else {
			if (/[{}~^$&#_%]/.test(text[at] ?? "")) throw new Error(`${text[at]} is not escaped.`);
			read += text[at];
			at += 1;
		}
	}
	return read;
}

const visible = (text: string) =>
	text
		.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
		.replace(/[\p{Cf}\p{Cs}]/gu, "")
		.trim();

const hostile = fc.oneof(
	fc.string({ unit: "binary" }),
	fc
		.array(fc.constantFrom("{", "}", "\\", "%", "$", "~", "^", "_", "#", "&", "@", ",", "\n", '"'))
		.map((marks) => marks.join("")),
	fc.constantFrom(
		"},\n@misc{evil, title = {x}",
		"\\input{/etc/passwd}",
		"\\write18{rm -rf}",
		"100% of $5 & more_than #1",
		"\u202Eevil\u0007",
	),
);

t.test("no title, name or address can end its field", (t) => {
	fc.assert(
		fc.property(hostile, hostile, hostile, (title, name, path) => {
			const citable = {
				...NODE,
				id: `x:${name}`,
				title,
				publisher: name,
				url: `https://x.example/${path}`,
			};
			const fields = readEntry(toBibTex(citable));
			t.same([...fields.keys()].slice(-1), ["url"]);
			t.equal(fields.size, 8);
			const written = fields.get("title") ?? "";
			t.equal(readTex(written.slice(2, -2)), visible(title));
			t.notMatch(fields.get("url")?.slice(1, -1), /[{}\\\s]/);
			t.notMatch(toApa(citable), /[\p{Cc}\p{Cf}]/u);
			t.equal(toCsl(citable).title, visible(title));
		}),
		{ numRuns: 150 },
	);
	t.end();
});
