import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import t, { type Test } from "tap";
import { startApp, type TestApp } from "../support/start-app.js";
import { times } from "../support/times.js";

const as = "tides";
const SETTINGS = { model: "none", catalog: "none" } as const;
const note = (index: number, more = "") =>
	`# Note ${index}\n\nWater number ${index} rises.${more}\n`;
const notes = (count: number, more = "") =>
	Object.fromEntries(times(count, (index) => [`note-${index}.md`, note(index, more)]));

type Calls = Record<string, (...given: unknown[]) => unknown>;

/** Runs something before each call of these functions of the file system; returns what ends that. */
function beforeEachOf(names: readonly string[], act: (path: string, name: string) => void) {
	const calls = fs.promises as unknown as Calls;
	const original = { ...calls };
	for (const name of names) {
		calls[name] = async (...given) => {
			act(String(given[0]), name);
			return original[name]?.(...given);
		};
	}
	syncBuiltinESMExports();
	return () => {
		Object.assign(calls, original);
		syncBuiltinESMExports();
	};
}

async function openShop(t: Test) {
	const root = fs.realpathSync(
		t.testdir({ notes: notes(10), next: notes(10, " It was measured.") }),
	);
	const shop = await startApp(t, { folder: join(root, "data"), settings: SETTINGS });
	const [source, next] = [join(root, "notes"), join(root, "next")];
	await shop.app.operator.importGraph({ source, as });
	return { root, shop, source, next };
}

const onSale = ({ app }: TestApp) => app.catalog.get(as).concepts.map(({ body }) => body);

/** The last line of an import over HTTP. */
async function importOver({ app, baseUrl }: TestApp, source: string) {
	const response = await fetch(`${baseUrl}/v1/admin/imports`, {
		method: "POST",
		headers: { "Content-Type": "application/json", Authorization: `Bearer ${app.adminToken}` },
		body: JSON.stringify({ source, as, update: true }),
	});
	return JSON.parse((await response.text()).trim().split("\n").at(-1) ?? "");
}

t.test(
	"files that vanish or change while they are read are left out or taken, and had next time",
	async (t) => {
		const { shop, next } = await openShop(t);
		const file = (index: number) => join(next, `note-${index}.md`);
		let opened = 0;
		const end = beforeEachOf(["open"], (path) => {
			if (!path.startsWith(next)) return;
			opened += 1;
			if (opened !== 1) return;
			fs.rmSync(file(3));
			fs.rmSync(file(4));
			fs.mkdirSync(file(4));
			// Half of what it is to be.
			fs.writeFileSync(file(5), "# Note 5\n\nWater num");
		});
		const { result } = await importOver(shop, next);
		end();
		t.same(
			result.skipped.map(({ file: path, reason }: { file: string; reason: string }) => [
				path,
				reason,
			]),
			[
				["note-3.md", "It cannot be read (ENOENT)."],
				["note-4.md", "It cannot be read (no ordinary file)."],
			],
		);
		t.same(result.changed, { added: 0, changed: 8, removed: 2, unchanged: 0 });
		fs.rmdirSync(file(4));
		for (const index of [3, 4, 5]) fs.writeFileSync(file(index), note(index, " It was measured."));
		t.match((await importOver(shop, next)).result.changed, { added: 2, changed: 1, unchanged: 7 });
		t.ok(onSale(shop).every((body) => body.endsWith("It was measured.")));
	},
);

t.test("a folder that goes while it is read leaves what was on sale", async (t) => {
	const { shop, next } = await openShop(t);
	const before = onSale(shop);
	const end = beforeEachOf(["readdir"], (path) => {
		if (path.startsWith(next)) fs.rmSync(next, { recursive: true });
	});
	const { error } = await importOver(shop, next);
	end();
	t.match(error, {
		code: "UNAVAILABLE",
		message: /was not imported as "tides": the system refused this \(ENOENT/,
	});
	t.same(onSale(shop), before);
});

t.test(
	"a disk that is full at any step leaves the old graph or the new one, and says so",
	async (t) => {
		const { shop, root, source, next } = await openShop(t);
		const before = onSale(shop);
		for (let room = 0, isFull = true; isFull; room += 3) {
			let written = 0;
			isFull = false;
			const end = beforeEachOf(["writeFile", "mkdir", "mkdtemp"], (path, name) => {
				if (!path.startsWith(join(root, "data", "graph"))) return;
				written += 1;
				if (written <= room) return;
				isFull = true;
				throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), {
					code: "ENOSPC",
					syscall: name,
				});
			});
			const { error, result } = await importOver(shop, next);
			end();
			if (!isFull) {
				t.match(result.changed, { changed: 10 });
				break;
			}
			t.match(
				error,
				{ code: "UNAVAILABLE", message: /ENOSPC: no space left on device/ },
				`room ${room}`,
			);
			t.same(onSale(shop), before, "what was on sale is on sale");
			const { items } = await shop.app.operator.listVersions({ graph_id: as });
			t.equal(items.length, 1, "no version of what did not happen");
		}
		await shop.close();
		const again = await startApp(t, { folder: join(root, "data"), settings: SETTINGS });
		t.ok(onSale(again).every((body) => body.endsWith("It was measured.")));
		await again.app.operator.importGraph({ source, as, update: true });
		t.same(onSale(again), before);
	},
);

t.test(
	"an import that is stopped while its report is made puts back what was on sale",
	async (t) => {
		const { shop, next } = await openShop(t);
		const before = onSale(shop);
		const stop = new AbortController();
		const { find } = shop.app.search;
		shop.app.search.find = (query) => {
			stop.abort();
			return find(query);
		};
		const request = { source: next, as, update: true, quality: true };
		await t.rejects(shop.app.operator.importGraph(request, undefined, stop.signal), {
			code: "UNAVAILABLE",
			message: /stopped before it was done; what was on sale is on sale/,
		});
		t.same(onSale(shop), before);
	},
);
