import t from "tap";
import { createDocumentReader, type ForeignDocument } from "../../src/documents/document-reader.js";

const encoder = new TextEncoder();

async function read(path: string, content: string | Uint8Array, options = {}) {
	const reader = await createDocumentReader(options);
	const bytes = typeof content === "string" ? encoder.encode(content) : content;
	return reader.read(path, bytes);
}

const bodyOf = async (path: string, content: string | Uint8Array) =>
	((await read(path, content)) as ForeignDocument).body;

t.test("text is read in the encoding it was written in", async (t) => {
	const text = "# Größe\n\nÜber das Maß.";
	const utf16 = (isBig: boolean, hasMark: boolean) => {
		const units = hasMark ? `\ufeff${text}` : text;
		const bytes = Buffer.from(units, "utf16le");
		return isBig ? bytes.swap16() : bytes;
	};
	for (const isBig of [false, true]) {
		for (const hasMark of [false, true]) {
			t.equal(await bodyOf("a.md", utf16(isBig, hasMark)), text, `${isBig} ${hasMark}`);
		}
	}
	t.equal(await bodyOf("a.md", Buffer.from(text, "latin1")), text);
	t.equal(await bodyOf("a.md", encoder.encode(`\ufeff${text}`)), text);
	t.match(await read("a.md", Buffer.from([0, 1, 2, 3, 0, 0, 9, 9])), { kind: "unreadable" });
});

t.test("notebooks and pages become Markdown", async (t) => {
	const notebook = JSON.stringify({
		cells: [
			{ cell_type: "markdown", source: ["# Tides\n", "\n", "How water rises."] },
			{ cell_type: "code", source: "rise(2)", outputs: [{ text: ["secret output"] }] },
		],
		metadata: { language_info: { name: "python" } },
	});
	t.equal(
		await bodyOf("a.ipynb", notebook),
		"# Tides\n\nHow water rises.\n\n```python\nrise(2)\n```",
	);
	t.match(await read("a.ipynb", "{}"), { reason: /no Jupyter notebook/ });
	const page =
		"<!doctype html><html><head><title>Lamp</title><style>p{}</style></head><body><nav>Menu</nav><main><h1>Lamp</h1><p>It <b>turns</b>, see <a href='https://a.example/b'>b</a>.</p><script>x()</script></main></body></html>";
	t.match(await read("lamp.html", page), {
		givenTitle: "Lamp",
		body: "# Lamp\n\nIt **turns**, see [b](https://a.example/b)[^link-1].",
		sources: [{ id: "link-1", resource: "https://a.example/b" }],
	});
	t.match(await read("part.html", "<div>{{ content }}</div>"), { reason: /piece of a page/ });
});

t.test("code keeps what looks like a template, and a type keeps its parameter", async (t) => {
	const text = [
		"Use `{{ name }}` or `<% x %>` for Vec<T> and <username>.",
		"",
		"```yaml",
		"run: echo $" + "{{ secrets.KEY }} {% raw %}",
		"!!! note",
		"```",
	].join("\n");
	t.equal(await bodyOf("a.md", text), text);
});

t.test("plain Markdown stays as it was written", async (t) => {
	const text =
		"Title\n=====\n\n* one\n* two  \n  more\n\n> quoted *text*\n\n| a | b |\n|--|--|\n| 1 | 2 |";
	t.equal(await bodyOf("a.md", text), text);
});

t.test("links elsewhere are noted behind them, each address once", async (t) => {
	const text =
		"# See [x](https://a.example)\n\n[A](https://a.example/1), <https://a.example/2> and https://a.example/1. ![i](https://a.example/i.png) [![b](https://a.example/b.svg)](https://a.example/b)\n\n[mail](mailto:a@b.example) [r][]\n\n[r]: https://a.example/r 'R'";
	const document = (await read("a.md", text)) as ForeignDocument;
	t.match(
		document.body,
		"[A](https://a.example/1)[^link-1], [https://a.example/2](https://a.example/2)[^link-2] and [https://a.example/1](https://a.example/1)[^link-1].",
	);
	t.match(document.body, "[r][][^link-3]");
	t.same(
		document.sources.map(({ resource }) => resource),
		["https://a.example/1", "https://a.example/2", "https://a.example/r"],
	);
});

t.test("a title comes from where the owner says", async (t) => {
	const text = "---\ntitle: Given\nnav: Short\n---\n# Heading\n\nText.";
	const titleFrom = async (source?: string) =>
		((await read("dir/my-file.md", text, { titleFrom: source })) as ForeignDocument).givenTitle;
	t.equal(await titleFrom(), "Given");
	t.equal(await titleFrom("heading"), "Heading");
	t.equal(await titleFrom("file"), "My file");
	t.equal(await titleFrom("nav"), "Short");
	t.equal(await titleFrom("none"), "Given");
});

t.test(
	"a date is read from front matter, a header, a file's name or a heading of a release",
	async (t) => {
		const dates = async (path: string, text: string) =>
			((await read(path, text)) as ForeignDocument).dates;
		const written: readonly (readonly [string, string, string])[] = [
			["a.md", "---\npubDate: 2021-02-03T04:05:06Z\n---\nx", "2021-02-03"],
			["a.md", "---\ncreation-date: '2020-01-02'\n---\nx", "2020-01-02"],
			["a.md", "+++\ndate = 2019-05-06T07:08:09Z\n+++\nx", "2019-05-06"],
			[
				"a.md",
				"# T\n\n* Proposal: x\n* **Start Date**: 2015-07-22\n\n## Summary\n\nx",
				"2015-07-22",
			],
			["a.md", "# T\n\n| Created | 3 May 2016 |\n|--|--|\n\nx", "2016-05-03"],
			["a.md", "# T\n\n_Published on June 13, 2017_\n\nx", "2017-06-13"],
			["2018-03-04-x.md", "x", "2018-03-04"],
			["a.md", "## 1.2.0 (2022-08-09)\n\nx", "2022-08-09"],
		];
		for (const [path, text, date] of written)
			t.equal((await dates(path, text)).written?.date, date, text);
		t.equal((await dates("a.md", "Last updated: 2020-04-05\n\nx")).changed?.date, "2020-04-05");
		t.equal((await dates("a.md", "---\nlastmod: 2020-04\n---\nx")).changed?.precision, "month");
		t.same(await dates("a.md", "In 2015-07-22 it rained.\n"), {
			written: undefined,
			changed: undefined,
		});
	},
);
