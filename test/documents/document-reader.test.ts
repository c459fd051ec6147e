import t from "tap";
import {
	createDocumentReader,
	describeBody,
	type ForeignDocument,
} from "../../src/documents/document-reader.js";

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

t.test(
	"a paragraph of HTML goes on over empty lines, and tags that are written about stay",
	async (t) => {
		const table = [
			"<table><tr><td>",
			"      <p>",
			"",
			'        See drafts and <a href="/drafts/">them</a>, or',
			"        <code>{% raw %}{% include a.html %}{% endraw %}</code>.",
			"",
			"      </p>",
			"</td></tr></table>",
		];
		t.match(
			await bodyOf("a.md", [...table, "", "After it."].join("\n")),
			/^\| See drafts and \[them\]\(\/drafts\/\), or `\{% include a\.html %\}`\. \|\n\nAfter it\.$/m,
		);
		t.equal(
			await bodyOf(
				"a.md",
				"{% highlight html %}\n{% raw %}\n{{ name }}\n{% endraw %}\n{% endhighlight %}",
			),
			"```html\n{{ name }}\n```",
		);
		const fenced = ["```html", "<div>", "<p>", "", "    text", "</p>", "```"].join("\n");
		t.equal(await bodyOf("a.md", fenced), fenced);
	},
);

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

t.test("links in a long table are noted, too", async (t) => {
	const rows = Array.from(
		{ length: 300 },
		(_, at) => `| [advisory ${at}](https://a.example/${at % 50}) | ${"wide ".repeat(20)} |`,
	);
	const text = `# Advisories\n\n| name | images |\n|---|---|\n${rows.join("\n")}`;
	const { sources } = (await read("a.md", text)) as ForeignDocument;
	t.equal(sources.length, 50);
});

t.test("entities in front matter become what they stand for", async (t) => {
	t.match(await read("a.md", "---\ntitle: Reed&#8217;s prints &amp; R&D;\n---\nText."), {
		givenTitle: "Reed’s prints & R&D;",
	});
	t.match(await read("a.md", "---\ntitle: 'A&#10;- b&#x202e;&#27;[31m'\n---\nText."), {
		givenTitle: "A - b",
	});
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

t.test(
	"remarks are dropped, however many lines they have, and code keeps what looks like one",
	async (t) => {
		const remarks: readonly (readonly [string, string])[] = [
			["{::comment}", "{:/comment}"],
			["{::comment}", "{:/}"],
			["%%", "%%"],
			["{#", "#}"],
			["{#-", "-#}"],
			["{% comment %}", "{% endcomment %}"],
			["{%- comment -%}{% comment %}", "{% endcomment %} hidden {%- endcomment -%}"],
			["<!--", "-->"],
			["{/*", "*/}"],
			["{{/*", "*/}}"],
			["{{!--", "--}}"],
		];
		const long = "hidden words, ".repeat(400);
		for (const [opening, closing] of remarks) {
			for (const inside of ["hidden", "hidden\nhidden", `hidden\n\n${long}\n\n\`\`\`\nhidden`]) {
				for (const path of ["a.md", "a.mdx"]) {
					const body = await bodyOf(path, `Before ${opening} ${inside} ${closing} after.\n\nEnd.`);
					t.notMatch(body, /hidden/, `${opening} ${path}`);
					t.match(body, /Before\s+after\.\s+End\./, `${opening} ${path}`);
				}
			}
			const code = `Write \`${opening} x ${closing}\`.`;
			if (opening !== "<!--") t.equal(await bodyOf("a.md", code), code);
		}
		t.equal(
			await bodyOf("a.md", "Text.\n\n[//]: # (hidden)\n\n[comment]: <> (hidden)\n\nEnd."),
			"Text.\n\nEnd.",
		);
		t.equal(await bodyOf("a.md", "Sure by 50%% or 60%% of all."), "Sure by 50%% or 60%% of all.");
	},
);

t.test("front matter is found in every form, and what cannot be read is refused", async (t) => {
	const draft: readonly string[] = [
		"\n\n---\ndraft: true\n---\nText.",
		"\ufeff\ufeff\n---\ndraft: true\n---\nText.",
		"\u200b---\ndraft: true\n---\nText.",
		'{\n  "title": "A } brace",\n  "draft": true\n}\n\nText.',
		'\n{ "draft": true }\nText.',
		'---json\n{ "draft": true }\n---\nText.',
		"---toml\ndraft = true\n---\nText.",
		"---yaml\ndraft: true\n---\nText.",
		"+++\ndraft = true\n+++",
		"---\nparams: { private: true }\n---\nText.",
		"---\nmetadata:\n  extra:\n    publish: 'no'\n---\nText.",
		"---\nextra: { draft: soon }\n---\nText.",
		"---\nprivate: [team]\n---\nText.",
		"---\nhidden: 7\n---\nText.",
	];
	for (const text of draft) t.match(await read("a.md", text), { kind: "private" }, text);
	const broken: readonly string[] = [
		"---\ndraft: true\n\nText.",
		"+++\ndraft = true\n\nText.",
		"+++\ndraft = = true\n+++\nText.",
		'{\n  "draft": true\n\nText.',
		'{ "draft": yes }\nText.',
		"---js\n{ draft: true }\n---\nText.",
	];
	for (const text of broken) {
		t.match(await read("a.md", text), { reason: /^The front matter is / }, text);
	}
	t.match(await read("a.md", '{ "title": "Tide" }\n\nText.'), {
		givenTitle: "Tide",
		body: "Text.",
	});
	const notebook = (type: string, source: string) =>
		JSON.stringify({
			cells: [
				{ cell_type: type, source },
				{ cell_type: "markdown", source: "Text." },
			],
		});
	for (const type of ["raw", "markdown"]) {
		const cell = notebook(type, "---\ndraft: true\n---\n");
		t.match(await read("a.ipynb", cell), { kind: "private" }, type);
		t.match(await read("a.ipynb", notebook(type, "---\ndraft: true")), { reason: /not closed/ });
	}
	t.match(await read("a.ipynb", notebook("raw", "---\ntitle: Tide\n---")), {
		givenTitle: "Tide",
		body: "Text.",
	});
});

t.test("what is not yet published, or no longer, is withheld by the day it is read", async (t) => {
	const today = "2026-11-23";
	const kindOf = async (head: string) =>
		((await read("a.md", `---\n${head}\n---\nText.`, { today })) as { kind?: string }).kind;
	for (const head of [
		"date: 2026-11-24",
		"publishDate: 2026-11-24",
		"pubDate: 2027-01-01",
		"params: { publishDate: 2027-01-01 }",
		"unpublishdate: 2026-11-23",
		"expiryDate: 2026-11-01",
		"metadata: { expiry_date: 2020-01-01 }",
	])
		t.equal(await kindOf(head), "private", head);
	for (const head of [
		"date: 2026-11-23",
		"publishDate: 2020-01-01\ndate: 2027-05-01",
		"expiryDate: 2026-11-24",
		"expiryDate: when it is done",
	])
		t.equal(await kindOf(head), undefined, head);
});

t.test("parameters of types and placeholders stay, and components are dropped", async (t) => {
	const kept =
		"A `Vec` is Vec<T>, Result<T, E>, Map<String, Vec<u8>>, Array<b> or Promise<object>; give <name>.";
	const document = (await read(
		"a.md",
		`# On Vec<T> and Map<K, V>\n\n${kept}\n\n<name>`,
	)) as ForeignDocument;
	t.match(document, { heading: "On Vec<T> and Map<K, V>", body: `${kept}\n\n<name>` });
	t.match(describeBody(kept), "A Vec is Vec<T>, Result<T, E>, Map<String, Vec<u8>>");
	t.equal(
		await bodyOf("a.md", 'It <b>turns</b> <Icon name="x"/> in <Note>a harbor</Note>.<br>'),
		"It **turns**  in a harbor.",
	);
	t.equal(
		await bodyOf("a.mdx", 'import X from "x";\nexport const a = {\n  b: 1,\n};\n\nVec<T> stays.'),
		"Vec<T> stays.",
	);
});

t.test("no text makes the reader start over at every character", async (t) => {
	const many = (text: string) => text.repeat(300_000 / text.length);
	const blanks = " ".repeat(300_000);
	const hostile: readonly string[] = [
		`{%${blanks}`,
		many("{%"),
		`{{<${blanks}`,
		many("{{< "),
		many("<%"),
		many("{% if %}"),
		many("{% comment %}"),
		`!!! a${blanks}b!`,
		`!!! ${"a ".repeat(150_000)}!`,
		`:::${blanks}x{`,
		`::: a${blanks}]`,
		many("::: a\n"),
		`import x from "y"\n${many("\n ")}`,
		many("%%\n"),
		many("%% a\n\n"),
		many("a %%b "),
		`a {: ${blanks}x`,
		`{^${blanks}^x`,
		many("<T> "),
		Array.from({ length: 40_000 }, (_, at) => `<T${at}> `).join(""),
		many("</T> "),
		`> ${many("[a](https://a.example)\n>\n> ")}`,
		`[^a]: ${many("[a](https://a.example)\n\n    ")}`,
		many("{::comment}"),
		many("{#  "),
		many("{/* "),
		many("{{!--"),
		many("<!-- "),
		`{\n${many('"{')}`,
		many("\n\n\ufeff"),
	];
	for (const text of hostile) {
		for (const path of ["a.md", "a.mdx"])
			t.ok(await read(path, text), `${path} ${text.slice(0, 20)}`);
	}
});
