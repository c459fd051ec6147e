import t from "tap";
import { OPERATION_ADDRESSES } from "../../src/contract/operations.js";
import { ROUTES } from "../support/routes.js";
import { startApp } from "../support/start-app.js";
import { rawRequest } from "./raw-request.js";

const PAID = Object.values(ROUTES).filter(({ kind }) => kind === "paid" || kind === "purchase");
const METHODS = ["GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"];
const GRAPH = "agent-payments";

/** Ways to write a path that a guard by pattern takes for another one. */
function disguises(path: string): string[] {
	const last = path.lastIndexOf("/");
	const [head, tail] = [path.slice(0, last), path.slice(last + 1)];
	return [
		path,
		`${path}/`,
		`${path}//`,
		`/${path}`,
		`${head}//${tail}`,
		`${head}/./${tail}`,
		`${head}/x/../${tail}`,
		`${head}%2F${tail}`,
		`${path}%2F`,
		`${path}%0A`,
		`${path}%0a`,
		`${path}%E2%80%A8`,
		`${path}%00`,
		`${path};v=1`,
		`${path}?`,
		`${path}?free=1`,
		`${path}.json`,
		`${head}/${tail.toUpperCase()}`,
		path.toUpperCase(),
		path.replace("/v1/", "/V1/"),
	];
}

interface Probe {
	readonly method: string;
	readonly path: string;
	readonly body: string;
}

/** Every method on every disguise of every route that costs money. */
function probes(): Probe[] {
	return PAID.flatMap((route) => {
		const { path } = OPERATION_ADDRESSES[route.id];
		const body = JSON.stringify(route.example.body);
		return disguises(path.replace("{graph_id}", GRAPH)).flatMap((disguise) =>
			METHODS.map((method) => ({ method, path: disguise, body })),
		);
	});
}

/** A list at the same address as something paid for, which the contract leaves open: to somebody unknown it is empty. */
const OPEN_LIST = OPERATION_ADDRESSES["research.schedules.list"].path;
const EMPTY = /^\{"ok":true,"data":\{"items":\[\]\}/;

function isOpenList({ method, path }: Probe, text: string): boolean {
	const isAsked = path.replace(/\?.*$/, "") === OPEN_LIST;
	return isAsked && (method === "HEAD" || (method === "GET" && EMPTY.test(text)));
}

/** What is wrong with the reply; undefined when it is a refusal. */
async function findFreeRide(baseUrl: string, { method, path, body }: Probe) {
	const isBare = ["HEAD", "TRACE", "GET"].includes(method);
	const { status, text } = await rawRequest(baseUrl, {
		method,
		path,
		...(!isBare && { headers: ["Content-Type", "application/json"], body }),
	});
	// CORS answers OPTIONS without looking at the path.
	const isRefused =
		method === "OPTIONS" ? status === 204 && text === "" : status >= 400 && status < 500;
	if (isRefused && !text.includes('"rows"')) return undefined;
	if (isOpenList({ method, path, body }, text)) return undefined;
	return `${method} ${path} answered ${status}: ${text.slice(0, 200)}`;
}

t.test("no disguise of a paid route, under any method, is served for nothing", async (t) => {
	const { app, baseUrl } = await startApp(t, { settings: { model: "none" } });
	const all = probes();
	t.ok(PAID.length >= 4, `${PAID.length} paid routes, ${all.length} requests`);
	const found: string[] = [];
	for (const probe of all) {
		const freeRide = await findFreeRide(baseUrl, probe);
		if (freeRide) found.push(freeRide);
	}
	t.same(found, []);
	const { balances, holds } = await app.store.read(async (reader) => ({
		balances: await reader.balances(),
		holds: await reader.list("holds"),
	}));
	t.same(
		[...balances.keys()].filter((account) => account.startsWith("rev:")),
		[],
	);
	t.same(holds, []);
});
