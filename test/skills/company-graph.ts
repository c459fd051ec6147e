/** A small graph of invented companies in the form of registers and filings, and what others say of them. */

interface Page {
	readonly type: string;
	readonly title: string;
	readonly front?: string;
	readonly sources: readonly (readonly [id: string, url: string, day: string])[];
	readonly body: string;
}

function toMarkdown({ type, title, front = "", sources, body }: Page): string {
	const listed = sources.map(
		([id, url, day]) =>
			`  - { id: ${id}, resource: "${url}", title: "Page ${id} of ${new URL(url).host}", last_modified: "${day}" }`,
	);
	const lines = [`type: ${type}`, `title: "${title}"`, ...(front === "" ? [] : [front])];
	const [first = ""] = body.split(/(?<=\.)\s(?=[A-Z])/);
	return `---\n${[...lines, `description: "${first}"`, "sources:", ...listed, "status: stable"].join("\n")}\n---\n\n${body}\n`;
}

const FILINGS = ["filing", "https://filings.example/harbor-10k", "2025-02-20"] as const;
const DAILY = ["daily", "https://daily.example/harbor", "2025-03-10"] as const;
const COURT = ["court", "https://court.example/case-9", "2024-11-05"] as const;
const REVIEW = ["review", "https://review.example/slipway", "2025-05-02"] as const;
const PILOTS = ["pilots", "https://pilots.example/handbook", "2023-01-01"] as const;

const PAGES: Readonly<Record<string, Page>> = {
	"companies/harbor.md": {
		type: "Organization",
		title: "Harbor Corporation",
		front:
			'legal_name: "Harbor Corporation"\nticker: HARB\nexchange: NYSE\ncik: "0001234567"\ndomain: harbor.example\naliases: ["Harbor"]',
		sources: [FILINGS],
		body: "Harbor Corporation makes cranes and sells software that plans the work of container terminals. The company was founded in 1976. It employs 4,100 people. Harbor reported sales of 2.1 billion dollars. Its software is sold to terminals under the name [Slipway](/products/slipway.md).",
	},
	"companies/quillon.md": {
		type: "Organization",
		title: "Quillon Systems, Inc.",
		front:
			'legal_name: "Quillon Systems, Inc."\nticker: QLN\nexchange: NASDAQ\ncik: "7654321"\ndomain: quillon.example',
		sources: [["q", "https://filings.example/quillon-10k", "2025-02-25"]],
		body: "Quillon Systems, Inc. sells planning software for freight trains. It employs 900 people.",
	},
	"companies/harbor-notes.md": {
		type: "Company",
		title: "Harbor (crane maker)",
		front: "cik: 1234567",
		sources: [["guide", "https://guide.example/makers", "2024-06-01"]],
		body: "The crane maker has factories in two countries.",
	},
	"products/slipway.md": {
		type: "Product",
		title: "Slipway",
		front: 'maker: "[Harbor Corporation](/companies/harbor.md)"\ndomain: slipway.example',
		sources: [REVIEW],
		body: "Slipway plans which container a crane moves next. It runs on the servers of a terminal.",
	},
	"news/lawsuit.md": {
		type: "Event",
		title: "A lawsuit over planning software",
		sources: [COURT],
		body: "Quillon Systems sued Harbor in March 2024 over patents on planning software. A court found that Harbor Corporation infringed two of them. The case is not over.",
	},
	"news/recall.md": {
		type: "Event",
		title: "Cranes of a container terminal",
		sources: [DAILY],
		body: "In January 2025 Harbor recalled 40 cranes after a cable broke at a container terminal. The terminals that had bought from harbor.example were paid for the days lost. Shares of the crane maker (NYSE: HARB) fell.",
	},
	"news/review.md": {
		type: "Concept",
		title: "Software for terminals compared",
		sources: [REVIEW],
		body: "Slipway by Harbor needs fewer moves than the software of other makers of cranes. Quillon has no software for cranes.",
	},
	"seas/pilots.md": {
		type: "Concept",
		title: "Pilots and places of refuge",
		sources: [PILOTS],
		body: "Harbor pilots guide ships through shallow water. A harbor of refuge is open to every ship in a storm. Harbor dues are paid by weight, and each harbor sets its own.",
	},
	"concepts/data-classes.md": {
		type: "Entity",
		title: "Data classes",
		front: 'aliases: ["PEP 557", "Dataclass"]',
		sources: [PILOTS],
		body: "Data classes hold values.",
	},
	"concepts/nameless.md": {
		type: "Organization",
		title: "Terminal operators",
		sources: [PILOTS],
		body: "Terminal operators load ships.",
	},
};

const FILES: Readonly<Record<string, string>> = {
	"graph.md":
		"---\ntype: domain\nid: makers\ntitle: Makers of cranes\ndescription: Companies that make cranes and plan terminals.\nversion: 1.0.0\ntopics: [cranes]\n---\n\nAbout makers.\n",
	...Object.fromEntries(Object.entries(PAGES).map(([path, page]) => [path, toMarkdown(page)])),
};

/** The graph as a folder of a test. */
export const COMPANY_FOLDER: Readonly<Record<string, string | Record<string, string>>> = toFolder();

function toFolder() {
	const folder: Record<string, string | Record<string, string>> = {};
	for (const [path, text] of Object.entries(FILES)) {
		const [name = "", file] = path.split("/");
		if (file === undefined) folder[name] = text;
		else folder[name] = { ...(folder[name] as Record<string, string>), [file]: text };
	}
	return folder;
}
