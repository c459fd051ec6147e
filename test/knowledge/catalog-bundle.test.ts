import { execFileSync } from "node:child_process";
import t from "tap";
import { unpackArchive } from "../../src/knowledge/bundle/archive.js";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { hashOf } from "../../src/knowledge/bundle/content-hash.js";
import { buildCatalogBundle } from "../../src/knowledge/exports/catalog-bundle.js";
import { graphOf, TIDES, textOf } from "./sample-bundle.js";

const options = { baseUrl: "https://knowledge.example" };
const catalog = () => [
	graphOf(TIDES),
	graphOf({ "graph.md": "---\ntype: domain\nid: bare\ntitle: Bare\n---\n" }),
];

t.test("the archive is one conforming bundle with a record and a readme per graph", async (t) => {
	const files = unpackArchive(buildCatalogBundle(catalog(), options), () => true);
	t.same([...files.keys()].sort(), [
		"graphs/bare.md",
		"graphs/tides.md",
		"index.md",
		"log.md",
		"readmes/bare.md",
		"readmes/tides.md",
	]);
	const { graph, findings } = readBundle(files, { fallbackId: "catalog" });
	t.equal(graph.concepts.length, 4);
	t.same(
		findings.map(({ rule }) => rule),
		["no-record"],
	);
	t.match(textOf(files, "graphs/tides.md"), /^nodes: 4\nsources_cited: 4$/m);
});

t.test("no concept's text is given away", async (t) => {
	const files = unpackArchive(buildCatalogBundle(catalog(), options), () => true);
	for (const path of files.keys()) t.notMatch(textOf(files, path), /SECRET BODY|Low water/, path);
});

t.test("the same catalog gives the same bytes, in any order and time zone", async (t) => {
	const hash = hashOf(buildCatalogBundle(catalog(), options));
	t.equal(hashOf(buildCatalogBundle(catalog().reverse(), options)), hash);
	const addressOf = (name: string) =>
		JSON.stringify(new URL(`../../src/knowledge/bundle/${name}`, import.meta.url));
	const script = [
		`import { packArchive } from ${addressOf("archive.js")};`,
		`import { hashOf } from ${addressOf("content-hash.js")};`,
		'process.stdout.write(hashOf(packArchive(new Map([["a.md", new Uint8Array([1])]]))));',
	].join("");
	const hashIn = (TZ: string) =>
		execFileSync(process.execPath, ["--input-type=module", "-e", script], {
			env: { ...process.env, TZ },
			encoding: "utf8",
		});
	t.equal(hashIn("Pacific/Kiritimati"), hashIn("America/Anchorage"));
});

t.test("an archive that unpacks to too much, or is none, is refused", async (t) => {
	const { zipSync } = await import("fflate");
	const bomb = zipSync({ "a.md": new Uint8Array(4_000_000) });
	t.throws(() => unpackArchive(bomb, () => true), { code: "INVALID_ARGUMENT" });
	t.throws(() => unpackArchive(new Uint8Array([1, 2, 3]), () => true), {
		code: "INVALID_ARGUMENT",
	});
});
